import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { db } from '@/server/db';
import { takeEvents } from '@/server/delivery/fan-out';
import { EventEmailWriter } from '@/server/email/event-emails';
import { eventEmails } from '@/server/routers/participants/data-emails';
import { makeProject, makeTournament, makeUser } from '@/test/factories';
import { until } from '@/test/receiver';
import { withRoom } from '@/test/room';
import { setupTestServer } from '@/test/server';

// Nothing runs in the background here: each test takes events as the drain does, and has their emails written.
const api = setupTestServer();
let tournamentId = '';

beforeAll(async () => {
  const { project } = await makeProject();
  tournamentId = (await makeTournament(project.id)).id;
});
afterEach(() => db.$executeRawUnsafe('DROP FUNCTION IF EXISTS reject_email CASCADE'));
afterAll(() => db.pendingEmail.deleteMany());

type Player = Awaited<ReturnType<typeof makeUser>>;

async function registerPlayers(count: number): Promise<Player[]> {
  const players = await Promise.all(Array.from({ length: count }, () => makeUser()));
  for (const player of players) await api.post(`/tournaments/${tournamentId}/participants/register`, player);
  return players;
}
const take = async () => (await takeEvents(withRoom(0), eventEmails.types)).events;
const emailsTo = (players: Player[]) =>
  db.outgoingMail.count({ where: { recipient: { in: players.map(({ email }) => email) } } });
const waiting = () => db.pendingEmail.count();
/** As if so much time had passed since the events, and since their emails were to be written. */
const letPass = (hours: number) =>
  db.$transaction([
    db.$executeRaw`UPDATE pending_email SET at = at - ${hours} * interval '1 hour'`,
    db.$executeRaw`UPDATE domain_event SET "occurredAt" = "occurredAt" - ${hours} * interval '1 hour'
    WHERE id IN (SELECT "eventId" FROM pending_email)`,
  ]);

/** PostgreSQL refuses emails to a player, as if something in them could not be stored. */
async function refuse({ email }: Player): Promise<void> {
  await db.$executeRawUnsafe(`
    CREATE FUNCTION reject_email() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'rejected'; END $$`);
  await db.$executeRawUnsafe(`
    CREATE TRIGGER reject_email BEFORE INSERT ON outgoing_mail FOR EACH ROW WHEN (NEW.recipient = '${email}')
    EXECUTE FUNCTION reject_email()`);
}

test('emails about events that a process took and did not write are written by another, once', async () => {
  const players = await registerPlayers(3);
  await take();
  const writer = new EventEmailWriter(eventEmails);
  await writer.sweep();
  expect(await emailsTo(players)).toBe(0);
  await letPass(0.01);
  await Promise.all([writer.sweep(), new EventEmailWriter(eventEmails).sweep()]);
  expect([await emailsTo(players), await waiting()]).toEqual([3, 0]);
});

test('one event whose emails cannot be written keeps no other, and is tried again later and later', async () => {
  const players = await registerPlayers(4);
  const [bad, ...others] = players as [Player, ...Player[]];
  await refuse(bad);
  const writer = new EventEmailWriter(eventEmails);
  writer.add(await take());
  await until(() => writer.idle);
  expect([await emailsTo([bad]), await emailsTo(others), await waiting()]).toEqual([0, 3, 1]);
  await letPass(2);
  await writer.sweep();
  const [pending] = await db.pendingEmail.findMany();
  // Two hours after the event, it waits for another hour.
  expect(pending?.at.getTime()).toBeGreaterThan(Date.now() + 50 * 60_000);
  await db.$executeRawUnsafe('DROP FUNCTION reject_email CASCADE');
  await writer.sweep();
  expect(await emailsTo([bad])).toBe(0);
  await letPass(1.5);
  await writer.sweep();
  expect([await emailsTo([bad]), await waiting()]).toEqual([1, 0]);
});

test('nothing is written about events that are older than a day, or deleted', async () => {
  const players = await registerPlayers(2);
  const [old, deleted] = await take();
  await db.domainEvent.delete({ where: { id: deleted?.id ?? '' } });
  await letPass(25);
  await new EventEmailWriter(eventEmails).sweep();
  expect([await emailsTo(players), await waiting()]).toEqual([0, 0]);
  expect(await db.domainEvent.count({ where: { id: old?.id ?? '' } })).toBe(1);
});
