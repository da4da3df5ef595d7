import { expect, onTestFinished, test, vi } from 'vitest';
import { minute, second } from '@/domain/time/durations';
import { type Attempt, DomainPaces } from '@/server/email/paces';

const ago = (ms: number) => performance.now() - ms;
const address = (turn: string, recipient = `${turn}@shared.test`) => ({ recipient, domain: 'shared.test', turn });
const promptly = (turn: string): Attempt => ({ ...address(turn), since: ago(0) });
const slowRecipient = (turn: string, ms = 6 * second): Attempt => ({
  ...address(turn, `nobody-${turn}@shared.test`),
  since: ago(ms),
});
const slowText = (turn: string): Attempt => ({
  ...promptly(turn),
  since: ago(6.1 * second),
  textSince: ago(6 * second),
});

function pacesAfter(attempts: readonly Attempt[]) {
  const paces = new DomainPaces();
  for (const attempt of attempts) {
    paces.noteAnswer(attempt);
    paces.noteTime(attempt);
  }
  return paces;
}
const paceAfter = (attempts: readonly Attempt[], of = address('usr_other')) => pacesAfter(attempts).of(of);

test('texts of a few that take long leave a domain unknown, whoever came first', () => {
  const slow = () => ['usr_a', 'network', 'by network', 'usr_c', ''].map(slowText);
  expect(paceAfter([promptly('usr_b')])).toBe('prompt');
  expect(paceAfter(slow())).toBe('unknown');
  expect(paceAfter([promptly('usr_b'), ...slow()])).toBe('unknown');
  expect(paceAfter([...slow(), promptly('usr_b')])).toBe('unknown');
});

test('a text that takes long makes the domain late for its sender until an email is prompt', () => {
  expect(paceAfter([slowText('usr_a')], address('usr_a'))).toBe('late');
  expect(pacesAfter([slowText('usr_a')]).allLate()).toEqual(['shared.test usr_a']);
  expect(paceAfter([slowText('usr_a'), promptly('usr_b')], address('usr_a'))).toBe('unknown');
});

test('texts of many make it late, until an email is prompt', () => {
  const many = ['usr_a', 'usr_b', 'usr_c', 'usr_d', 'usr_e', 'usr_f'];
  expect(paceAfter(many.map(slowText))).toBe('late');
  expect(paceAfter(many.flatMap((turn) => [slowText(turn), slowText('usr_a')]))).toBe('late');
  expect(paceAfter([...many.map(slowText), promptly('usr_g')])).toBe('unknown');
  const [first = '', ...others] = many;
  expect(paceAfter([slowText(first), promptly('usr_g'), ...others.map(slowText)])).toBe('unknown');
});

test('one recipient or text that is under way counts once', () => {
  const underWay = Array.from({ length: 6 }, (_, index) => slowText(`usr_${index}`));
  expect(paceAfter([...underWay, promptly('usr_g'), ...underWay])).toBe('unknown');
  const recipients = Array.from({ length: 6 }, (_, index) => slowRecipient(`usr_${index}`));
  expect(paceAfter([...recipients, promptly('usr_g'), ...recipients])).toBe('unknown');
});

test('a recipient that takes long is late, and so is the domain for its sender until an email is prompt, and unknown for a while', () => {
  const slow = () => slowRecipient('usr_a', minute);
  expect(paceAfter([slow()], slow())).toBe('late');
  expect(paceAfter([slow()], address('usr_a'))).toBe('late');
  expect(paceAfter([slow()])).toBe('unknown');
  expect(paceAfter([slow(), promptly('usr_b')], slow())).toBe('late');
  expect(paceAfter([slow(), promptly('usr_b')], address('usr_a'))).toBe('unknown');
  expect(paceAfter([slow(), promptly('usr_b')])).toBe('unknown');
});

test('recipients of many that take long make it late for everybody, until an email is prompt', () => {
  const many = ['usr_a', 'usr_b', 'usr_c', 'usr_d', 'usr_e', 'usr_f'];
  const slow = () => many.map((turn) => slowRecipient(turn));
  expect(paceAfter(slow().slice(1))).toBe('unknown');
  expect(paceAfter(slow())).toBe('late');
  expect(paceAfter([...slow(), promptly('usr_g')])).toBe('unknown');
  expect(paceAfter([...slow().slice(1), promptly('usr_g'), ...slow().slice(0, 1)])).toBe('unknown');
});

test('what is late is named as emails are claimed: recipients, domains for a turn, and domains', () => {
  expect(pacesAfter([slowRecipient('usr_a')]).allLate()).toEqual(['nobody-usr_a@shared.test', 'shared.test usr_a']);
  const many = ['usr_a', 'usr_b', 'usr_c', 'usr_d', 'usr_e', 'usr_f'].map((turn) => slowRecipient(turn));
  expect(pacesAfter(many).allLate()).toContain('shared.test');
});

test('a late recipient has its time, but less when another of its sender had it in vain', () => {
  const paces = new DomainPaces();
  expect(paces.patienceFor(address('usr_a'), 'unknown')).toBe(5 * second);
  expect(paces.patienceFor(address('usr_a'), 'prompt')).toBe(5 * second);
  expect(paces.patienceFor(address('usr_a'), 'late')).toBeUndefined();
  paces.noteFailure(slowRecipient('usr_a', 9 * second));
  paces.noteFailure({ ...slowText('usr_a'), since: ago(minute) });
  expect(paces.patienceFor(address('usr_a'), 'late')).toBeUndefined();
  paces.noteFailure(slowRecipient('usr_a', minute));
  expect(paces.patienceFor(address('usr_a'), 'late')).toBe(10 * second);
  expect(paces.patienceFor(address('usr_b'), 'late')).toBeUndefined();
});

test('what hangs for a registrant takes the time of no other email of the project, but of those of the same block', () => {
  const paces = new DomainPaces();
  const to = (name: string) => ({ recipient: `a@${name}.test`, domain: `${name}.test`, turn: 'prj_a', isCaused: true });
  const hang = (attempt: Attempt) => paces.noteFailure({ ...attempt, since: ago(minute) });
  hang(to('one'));
  expect(paces.patienceFor(to('one'), 'late')).toBe(10 * second);
  expect(paces.patienceFor(to('two'), 'late')).toBeUndefined();
  const block = 'block';
  hang({ ...to('rented'), block });
  expect(paces.patienceFor({ ...to('further'), block, turn: 'prj_b' }, 'late')).toBe(10 * second);
  expect(paces.patienceFor(to('two'), 'late')).toBeUndefined();
  hang({ ...to('one'), turn: 'by network' });
  expect(paces.patienceFor({ ...to('two'), turn: 'by network' }, 'late')).toBe(10 * second);
});

/** Emails that others cause, or sign-ups, to so many recipients at a domain. */
const to = (count: number, turn: (index: number) => string, isCaused = false): Attempt[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{ ...address(turn(index), `player${index}@shared.test`), isCaused, since: ago(0) },
  }));
const caused = { ...address('prj_a'), isCaused: true };

test('for what others cause, a domain is prompt once recipients of many blocks have shown it, until an email is late', () => {
  const of = (count: number) => to(count, (index) => `home ${index}`);
  expect(
    paceAfter(
      to(1_000, () => 'block'),
      caused,
    ),
  ).toBe('unknown');
  expect(paceAfter([...of(9), ...of(9)], caused)).toBe('unknown');
  expect(paceAfter(of(10), caused)).toBe('prompt');
  expect(paceAfter([...of(10), slowRecipient('usr_a')], caused)).toBe('unknown');
  expect(paceAfter(of(1))).toBe('prompt');
});

test('what others cause shows a domain for the block that the recipient signed up from, however many have a tournament', () => {
  const paceOf = (block: (index: number) => string) =>
    paceAfter(
      to(20, (index) => `prj_${index}`, true).map((attempt, index) => ({ ...attempt, block: block(index) })),
      caused,
    );
  expect(paceOf((index) => `home ${index}`)).toBe('prompt');
  expect(paceOf(() => 'block')).toBe('unknown');
});

test('recipients whose block is not known show a domain as one more', () => {
  const registered = to(1_000, (index) => `prj_${index}`, true);
  const signUps = (count: number) => to(count, (index) => `home ${index}`);
  expect(paceAfter(registered, caused)).toBe('unknown');
  expect(paceAfter([...signUps(8), ...registered], caused)).toBe('unknown');
  expect(paceAfter([...signUps(9), ...registered], caused)).toBe('prompt');
});

test('a domain that many blocks have shown stays known, however many somebody has of their own', () => {
  const paces = pacesAfter(to(10, (index) => `home ${index}`));
  for (let count = 0; count < 600; count += 1)
    paces.noteAnswer({ recipient: `a@n${count}.test`, domain: `n${count}.test`, turn: 'block', since: ago(0) });
  paces.noteAnswer({ ...caused, since: ago(0) });
  expect(paces.of(caused)).toBe('prompt');
});

test('how long an email may take at a prompt domain depends on the quickest that was taken', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const took = (turn: string, ms: number): Attempt => ({ ...promptly(turn), domain: `${turn}.test`, since: ago(ms) });
  const paceOf = (attempts: readonly Attempt[]) => pacesAfter(attempts).of({ ...address('a'), domain: 'a.test' });
  expect(paceOf([took('a', 1_800)])).toBe('prompt');
  expect(paceOf([took('b', 100), took('a', 1_800)])).toBe('unknown');
  expect(paceOf([took('b', 100), took('a', 400)])).toBe('prompt');
  expect(paceOf([took('b', 400), took('a', 1_000)])).toBe('prompt');
  expect(paceOf([took('a', 1_800), took('b', 100), took('a', 1_800)])).toBe('unknown');
  expect(paceOf([took('a', 3_000)])).toBe('unknown');
  const paces = new DomainPaces();
  paces.noteAnswer(took('b', 100), false);
  paces.noteAnswer(took('a', 1_800));
  expect(paces.of({ ...address('a'), domain: 'a.test' })).toBe('prompt');
});

test('a domain whose recipients were late is prompt again after some emails, more each time', () => {
  const prompt = (count: number) => Array.from({ length: count }, () => promptly('usr_b'));
  const late = () => slowRecipient('usr_a');
  expect(paceAfter([...prompt(1), late(), ...prompt(4)])).toBe('unknown');
  expect(paceAfter([...prompt(1), late(), ...prompt(5)])).toBe('prompt');
  expect(paceAfter([late(), ...prompt(5), late(), ...prompt(9)])).toBe('unknown');
  expect(paceAfter([late(), ...prompt(5), late(), ...prompt(10)])).toBe('prompt');
  // Those that a pause of the server made late together count once.
  expect(paceAfter([...prompt(1), late(), late(), late(), ...prompt(5)])).toBe('prompt');
});
