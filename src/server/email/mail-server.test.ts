import type { SMTPServerOptions } from 'smtp-server';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { env } from '@/env';
import { closeDatabase, db } from '@/server/db';
import { queueDigests } from '@/server/email/digest';
import { openMailServer } from '@/server/email/mail-server.fixture';
import { queueEmailsOnce } from '@/server/email/outbox';
import { letPass, rowOf } from '@/server/email/outbox.fixture';
import { startSender, stopSender } from '@/server/email/sender';
import { until } from '@/test/receiver';

const defaults = { ...env };

beforeEach(() => db.outgoingMail.deleteMany());
afterEach(async () => {
  await stopSender(5_000);
  Object.assign(env, defaults);
});
afterAll(() => closeDatabase());

const to = 'ada@players.test';
const unsent = () => db.outgoingMail.count({ where: { sentAt: null } });

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
