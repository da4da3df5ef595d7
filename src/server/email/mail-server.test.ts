import type { SMTPServerOptions } from 'smtp-server';
import { expect, test } from 'vitest';
import { env } from '@/env';
import { db } from '@/server/db';
import { queueDigests } from '@/server/email/digest';
import type { Email } from '@/server/email/layout';
import { openLine } from '@/server/email/mail-server';
import { openMailServer } from '@/server/email/mail-server.fixture';
import { callEmail } from '@/server/email/match-emails';
import { queueEmailsOnce } from '@/server/email/outbox';
import { letPass, rowOf, setupOutbox, unsent } from '@/server/email/outbox.fixture';
import { cancellationEmail, participantEmail } from '@/server/email/participant-emails';
import { startSender } from '@/server/email/sender';
import { until } from '@/test/receiver';

setupOutbox();

const to = 'ada@players.test';

type Update = { sourceId: string; kind?: string; subject: string; path?: string };
const others: Update[] = [
  { sourceId: 'prj_night', subject: 'Night Cup: you are in' },
  { sourceId: 'prj_night', subject: 'Night Cup: no-show' },
  { sourceId: 'prj_own', kind: 'webhook_warned', subject: 'A webhook of Own keeps failing' },
  {
    sourceId: 'tem_1',
    kind: 'team_invitation',
    subject: 'You are invited to a team on Laurel',
    path: '/team-invitations/tok',
  },
];

/** Has a digest of these written, and sent from now on. @returns its id */
async function sendDigest(updates: readonly Update[]): Promise<string> {
  Object.assign(env, { OWN_EMAILS_PER_ADDRESS_PER_HOUR: 1 });
  await db.rateLimitWindow.deleteMany();
  const first = { sourceId: 'prj_first', subject: 'Sent by itself' };
  const emails = [first, ...updates].map(
    ({ sourceId, kind = 'update', subject, path = '/tournaments/cup' }: Update, index) => {
      const action = { label: 'Open', url: `https://play.example${path}` };
      const email = { subject, paragraphs: ['Something happened.'], action, reason: 'You registered.' };
      return { to, kind, email, sourceId, asked: true, dedupeKey: `${index}` };
    },
  );
  await db.$transaction((tx) => queueEmailsOnce(tx, emails));
  expect(await queueDigests(10)).toBe(1);
  startSender();
  return (await db.outgoingMail.findFirstOrThrow({ where: { kind: 'digest' } })).id;
}

/** A filter of the mail server, which reads whole texts. @param refuse what it does at one with this word */
function filterFor(word: string, refuse: (callback: (error: Error) => void) => void) {
  const taken: string[] = [];
  const onData: SMTPServerOptions['onData'] = (stream, _session, callback) => {
    let text = '';
    stream.on('data', (chunk) => {
      text += chunk;
    });
    stream.on('end', () => {
      const readable = text.replace(/=\r\n/g, '').replaceAll('\r', '');
      if (readable.includes(word)) return refuse(callback);
      taken.push(readable);
      callback();
    });
  };
  return { taken, onData };
}

test.each([
  { responseCode: 550, word: 'CASINO', update: { sourceId: 'prj_bad', subject: 'CASINO: you are in' } },
  { responseCode: 451, word: 'casino', update: { sourceId: 'prj_bad', subject: 'Cup', path: '/tournaments/casino' } },
])('a digest refused with $responseCode for what one project wrote arrives without names', async (given) => {
  const { responseCode, word, update } = given;
  const spam = () => Object.assign(new Error('this is spam'), { responseCode });
  const { taken, onData } = filterFor(word, (callback) => callback(spam()));
  const server = await openMailServer({ onData });
  Object.assign(env, { SMTP_URL: server.url });
  const digest = await sendDigest([...others, update]);
  await until(async () => (await unsent()) === 0 || (await rowOf(digest)).lastError !== null);
  expect(await rowOf(digest)).toMatchObject({ attempts: 1, lastError: null, contentEncrypted: null });
  const [text = '', ...more] = taken.filter((one) => one.includes(digest));
  expect(more).toEqual([]);
  expect(text).toContain('Subject: 5 more updates from Laurel');
  expect(text).toMatch(/- 3 updates about your tournaments\n {2}http\S+\/me\n/);
  expect(text).toMatch(/- 1 update about your webhooks\n {2}http\S+\/dashboard\n/);
  expect(text).toContain('- You are invited to a team on Laurel\n  https://play.example/team-invitations/tok');
  expect(text).not.toMatch(/Night Cup|Own|tournaments\/cup/);
  await server.close();
});

test('a digest at whose text the server keeps hanging up arrives without names in the end', async () => {
  const { taken, onData } = filterFor('CASINO', () => server.hangUp());
  const server = await openMailServer({ onData });
  Object.assign(env, { SMTP_URL: server.url });
  const digest = await sendDigest([...others, { sourceId: 'prj_bad', subject: 'CASINO: you are in' }]);
  await until(async () => (await rowOf(digest)).lastError !== null);
  await db.outgoingMail.update({ where: { id: digest }, data: { attempts: 6, dueAt: new Date() } });
  await until(async () => (await rowOf(digest)).sentAt !== null);
  expect(taken.find((one) => one.includes(digest))).toContain('- 3 updates about your tournaments');
  await server.close();
});

test('a digest whose recipient is refused at first lists everything later', async () => {
  let tries = 0;
  const { taken, onData } = filterFor('CASINO', () => undefined);
  const server = await openMailServer({
    onData,
    onRcptTo(_address, _session, callback) {
      tries += 1;
      if (tries > 2) callback();
      else callback(Object.assign(new Error('come back later'), { responseCode: 451 }));
    },
  });
  Object.assign(env, { SMTP_URL: server.url });
  const digest = await sendDigest(others);
  await until(async () => (await rowOf(digest)).lastError !== null);
  await letPass(1);
  await until(async () => (await rowOf(digest)).sentAt !== null);
  expect(taken.find((one) => one.includes(digest))).toContain('- Night Cup: you are in');
  await server.close();
});

test.each(['as it is used again', 'when the next email begins'])(
  'a server that ends a connection %s gets that email over another one',
  async (moment) => {
    let emails = 0;
    const server = await openMailServer({
      onMailFrom(_address, _session, callback) {
        emails += 1;
        if (emails === 2 && moment !== 'as it is used again') server.hangUp();
        else callback();
      },
      onData(stream, { envelope }, callback) {
        stream.resume().on('end', () => {
          server.received.push(...envelope.rcptTo.map(({ address }) => address));
          callback();
          if (server.received.length === 1 && moment === 'as it is used again') setImmediate(server.hangUp);
        });
      },
    });
    Object.assign(env, { SMTP_URL: server.url });
    const line = openLine();
    const content = { subject: 'Cup', text: 'You are in.', html: '' };
    for (const at of [1, 2]) await line.send({ id: `eml_${at}`, to: `p${at}@players.test`, content });
    line.close();
    expect([server.received, server.connections().total]).toEqual([['p1@players.test', 'p2@players.test'], 2]);
    await server.close();
  },
);

test('a password is sent without encryption only if the address says so', async () => {
  const passwords: unknown[] = [];
  const server = await openMailServer({
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, callback) {
      passwords.push(password);
      callback(null, { user: username });
    },
  });
  const url = server.url.replace('//', '//laurel:secret@');
  const send = async () => {
    const line = openLine();
    const content = { subject: 'Cup', text: 'You are in.', html: '' };
    await line.send({ id: 'eml_1', to, content }).finally(() => line.close());
  };
  Object.assign(env, { SMTP_URL: url });
  await expect(send()).rejects.toThrow(/STARTTLS/);
  expect([passwords, server.received]).toEqual([[], []]);
  Object.assign(env, { SMTP_URL: `${url}?requireTLS=false` });
  await send();
  expect([passwords, server.received]).toEqual([['secret'], [to]]);
  await server.close();
});

const reader = { id: 'usr_ada', name: 'Ada', timezone: 'UTC', isCaptain: false };
const tomorrow = new Date(Date.now() + 24 * 60 * 60 * 1000);
const cup = { slug: 'casino', name: 'CASINO', startDate: tomorrow, timezone: 'UTC', checkInOpensAt: null };
const match = { slug: 'night-cup', name: 'Night Cup', timezone: 'UTC', number: 3, station: null };
const approved = { registrationStatus: 'approved', status: 'registered' } as const;
const swap = { out: { id: 'usr_out', name: 'CASINO' }, in: { id: 'usr_in', name: 'CASINO' }, previous: null };
const notice = { ...approved, ...swap, reason: 'CASINO', team: 'CASINO', bySelf: false };

test.each<[string, Email | null, string]>([
  [
    'the call to a match against',
    callEmail(reader, { ...match, opponent: 'CASINO', showUpBy: tomorrow.toISOString() }),
    'Your match was called. Go to your match and be there by ',
  ],
  [
    'the removal of a team by',
    participantEmail({ ...notice, type: 'participant.removed' }, reader, cup),
    'The organizer removed the registration of your team.',
  ],
  [
    'a registration by the captain of',
    participantEmail({ ...notice, type: 'participant.registered' }, reader, cup),
    'Your team registered with you on its roster.',
  ],
  [
    'a substitution by',
    participantEmail({ ...notice, type: 'participant.substituted' }, reader, cup),
    'A player replaced another player on the roster of your team.',
  ],
  ['a cancellation by', cancellationEmail(reader, cup), 'The organizer cancelled your tournament. It was scheduled'],
])('an email about %s somebody named like spam arrives without names', async (_about, email, expected) => {
  if (!email) throw new Error('the reader needs this email');
  const spam = () => Object.assign(new Error('this is spam'), { responseCode: 550 });
  const { taken, onData } = filterFor('CASINO', (callback) => callback(spam()));
  const server = await openMailServer({ onData });
  Object.assign(env, { SMTP_URL: server.url });
  await db.rateLimitWindow.deleteMany();
  const row = { to, kind: 'update', email, sourceId: 'prj_night', dedupeKey: null };
  const [id = ''] = await db.$transaction((tx) => queueEmailsOnce(tx, [row]));
  startSender();
  await until(async () => (await unsent()) === 0 || (await rowOf(id)).lastError !== null);
  expect(await rowOf(id)).toMatchObject({ attempts: 1, lastError: null, contentEncrypted: null });
  expect(taken).toHaveLength(1);
  expect(taken[0]).toContain(expected);
  expect(taken[0]).not.toMatch(/casino|Night Cup|night-cup/i);
  await server.close();
});

test('a subject that looks like an encoded word is not decoded', async () => {
  const server = await openMailServer();
  Object.assign(env, { SMTP_URL: server.url });
  const subject = '=?UTF-8?B?4oCuTGF1cmVs?= Cup';
  const line = openLine();
  await line.send({ id: 'eml_1', to, content: { subject, text: 'Hi', html: '<p>Hi</p>' } });
  line.close();
  expect(server.texts[0]).toMatch(/^Subject: /m);
  expect(server.texts[0]).not.toContain('=?UTF-8?B?4oCuTGF1cmVs?=');
  await server.close();
});
