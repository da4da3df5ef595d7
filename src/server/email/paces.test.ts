import { expect, test } from 'vitest';
import { minute, second } from '@/domain/time/durations';
import { type Attempt, DomainPaces } from '@/server/email/paces';

const ago = (ms: number) => performance.now() - ms;
const promptly = (turn: string): Attempt => ({ domain: 'shared.test', turn, since: ago(0) });
const slowText = (turn: string): Attempt => ({
  ...promptly(turn),
  since: ago(6.1 * second),
  textSince: ago(6 * second),
});

function paceAfter(attempts: readonly Attempt[]) {
  const paces = new DomainPaces();
  for (const attempt of attempts) {
    paces.noteAnswer(attempt);
    paces.noteTime(attempt);
  }
  return paces.of('shared.test');
}

test('texts of a few that take long leave a domain unknown, whoever came first', () => {
  const slow = () => ['usr_a', 'network', 'by network', 'digests', ''].map(slowText);
  expect(paceAfter([promptly('usr_b')])).toBe('prompt');
  expect(paceAfter(slow())).toBe('unknown');
  expect(paceAfter([promptly('usr_b'), ...slow()])).toBe('unknown');
  expect(paceAfter([...slow(), promptly('usr_b')])).toBe('unknown');
});

test('texts of many make it late, until an email is prompt', () => {
  const many = ['usr_a', 'usr_b', 'usr_c', 'usr_d', 'usr_e', 'usr_f'];
  expect(paceAfter(many.map(slowText))).toBe('late');
  expect(paceAfter(many.flatMap((turn) => [slowText(turn), slowText('usr_a')]))).toBe('late');
  expect(paceAfter([...many.map(slowText), promptly('usr_g')])).toBe('unknown');
  const [first = '', ...others] = many;
  expect(paceAfter([slowText(first), promptly('usr_g'), ...others.map(slowText)])).toBe('unknown');
});

test('one text that is under way counts once', () => {
  const underWay = Array.from({ length: 6 }, (_, index) => slowText(`usr_${index}`));
  expect(paceAfter([...underWay, promptly('usr_g'), ...underWay])).toBe('unknown');
});

test('a recipient that takes long makes it late, however prompt emails to others are', () => {
  expect(paceAfter([{ ...promptly('usr_a'), since: ago(minute) }, promptly('usr_b')])).toBe('late');
});
