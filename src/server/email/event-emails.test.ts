import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { db, pool } from '@/server/db';
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
afterEach(() => db.$executeRawUnsafe('DROP FUNCTION IF EXISTS reject_email, hold_email CASCADE'));
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
  const another = new EventEmailWriter(eventEmails);
  await Promise.all([writer.sweep(), another.sweep()]);
  await until(() => writer.idle && another.idle);
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
  await until(() => writer.idle);
  const [pending] = await db.pendingEmail.findMany();
  // Two hours after the event, it waits for another hour.
  expect(pending?.at.getTime()).toBeGreaterThan(Date.now() + 50 * 60_000);
  await db.$executeRawUnsafe('DROP FUNCTION reject_email CASCADE');
  await writer.sweep();
  expect(await emailsTo([bad])).toBe(0);
  await letPass(1.5);
  await writer.sweep();
  await until(() => writer.idle);
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

/** Emails to a player about events of a type wait in PostgreSQL until the function that this returns is called. */
async function hold({ email }: Player, type: string): Promise<() => Promise<void>> {
  await db.$executeRawUnsafe(`
    CREATE FUNCTION hold_email() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      PERFORM pg_advisory_xact_lock(4711, 1); RETURN NEW; END $$`);
  await db.$executeRawUnsafe(`
    CREATE TRIGGER hold_email BEFORE INSERT ON outgoing_mail FOR EACH ROW
    WHEN (NEW.recipient = '${email}' AND NEW.kind = '${type}') EXECUTE FUNCTION hold_email()`);
  const client = await pool.connect();
  await client.query('SELECT pg_advisory_lock(4711, 1)');
  return async () => {
    await client.query('SELECT pg_advisory_unlock(4711, 1)');
    client.release();
  };
}
const held = () => db.$queryRaw<unknown[]>`SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND classid = 4711
  AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** A tournament with a player, and what cancels it. */
async function makeCancellable(player: Player, createdFrom: string) {
  const { project, owner } = await makeProject();
  await db.project.update({ where: { id: project.id }, data: { createdFrom } });
  const { id } = await makeTournament(project.id);
  await api.post(`/tournaments/${id}/participants/register`, player);
  return async () => expect((await api.post(`/tournaments/${id}/cancel`, owner)).status).toBe(200);
}

test.each(['took', 'finds'])('cancellations of one block that a process %s keep no other email', async (how) => {
  const [many, one, registrant] = (await Promise.all([makeUser(), makeUser(), makeUser()])) as [Player, Player, Player];
  const ofBlock = await Promise.all([1, 2, 3].map(() => makeCancellable(many, `block of ${many.id}`)));
  const ofOther = await makeCancellable(one, `block of ${one.id}`);
  const writer = new EventEmailWriter(eventEmails);
  writer.add(await take());
  await until(() => writer.idle);
  const release = await hold(many, 'tournament.cancelled');
  try {
    for (const cancel of [...ofBlock, ofOther]) await cancel();
    await api.post(`/tournaments/${tournamentId}/participants/register`, registrant);
    const events = await take();
    expect(events).toHaveLength(5);
    if (how === 'took') for (const event of events) writer.add([event]);
    else await letPass(0.01).then(() => writer.sweep());
    await until(async () => (await emailsTo([one])) === 2 && (await emailsTo([registrant])) === 1);
    await until(async () => (await waiting()) === 3);
    expect(await held()).toHaveLength(1);
    // What waits for its turn here is taken by no other process.
    await db.$executeRaw`UPDATE pending_email SET at = now() - interval '15 seconds'`;
    await writer.sweep();
    const [oldest] = await db.pendingEmail.findMany({ orderBy: { at: 'asc' } });
    expect(oldest?.at.getTime()).toBeGreaterThan(Date.now() - 10_000);
  } finally {
    await release();
  }
  await until(() => writer.idle);
  expect([await emailsTo([many]), await waiting()]).toEqual([6, 0]);
});

/** A tournament of teams in a project of its own, created from a block of addresses. */
async function makeTeamCup(createdFrom: string) {
  const { project, owner } = await makeProject();
  await db.project.update({ where: { id: project.id }, data: { createdFrom } });
  const { id } = await makeTournament(project.id, { teamSize: 2, rosterMin: 1, rosterMax: 2, maxParticipants: 64 });
  return { projectId: project.id, id, owner };
}
type TeamCup = Awaited<ReturnType<typeof makeTeamCup>>;

/** Registers a team, whose player accepts. @returns its id */
async function registerTeam({ id }: TeamCup, captain: Player, player: Player): Promise<string> {
  const roster = [captain, player].map((one, at) => ({ userId: one.id, role: at === 0 ? 'captain' : 'player' }));
  const register = { bearer: captain.bearer, body: { teamName: `Team of ${captain.id}`, teamMembers: roster } };
  const { body } = await api.post<{ id: string }>(`/tournaments/${id}/participants/register`, register);
  expect((await api.post(`/tournaments/${id}/registrations/me/accept`, player)).status).toBe(200);
  return body.id;
}
const change = async ({ id, owner: { bearer } }: TeamCup, participantId: string, action: string) =>
  expect(
    (await api.post(`/tournaments/${id}/participants/${participantId}/${action}`, { bearer, body: { reason: 'R' } }))
      .status,
  ).toBe(200);
const kindsTo = async ({ email: recipient }: Player) =>
  (await db.outgoingMail.findMany({ where: { recipient }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] })).map(
    ({ kind }) => kind,
  );
const makeUsers = (count: number) => Promise.all(Array.from({ length: count }, () => makeUser()));

test.each(['took', 'finds'])('emails to rosters of one block that a process %s keep no other email', async (how) => {
  const [many, mate, one, other, captain, player] = (await makeUsers(6)) as [
    Player,
    Player,
    Player,
    Player,
    Player,
    Player,
  ];
  const cups = await Promise.all([1, 2, 3].map(() => makeTeamCup(`block of ${many.id}`)));
  const elsewhere = await makeTeamCup(`block of ${one.id}`);
  const [first] = cups as [TeamCup, ...TeamCup[]];
  const teams = await Promise.all(cups.map(async (cup) => ({ cup, id: await registerTeam(cup, mate, many) })));
  const apart = await registerTeam(elsewhere, one, other);
  const writer = new EventEmailWriter(eventEmails);
  writer.add(await take());
  await until(() => writer.idle);
  const release = await hold(many, 'participant.disqualified');
  try {
    for (const { cup, id } of teams) await change(cup, id, 'disqualify');
    await change(elsewhere, apart, 'disqualify');
    for (const { cup, id } of teams) await change(cup, id, 'reinstate');
    await registerTeam(first, captain, player);
    const events = await take();
    if (how === 'took') for (const event of events) writer.add([event]);
    else await letPass(0.01).then(() => writer.sweep());
    await until(async () => (await kindsTo(other)).includes('participant.disqualified'));
    await until(async () => (await kindsTo(captain)).includes('participant.registered'));
    await until(async () => (await held()).length > 0);
    expect(await held()).toHaveLength(1);
  } finally {
    await release();
  }
  await until(() => writer.idle);
  expect(await waiting()).toBe(0);
  // Once each, and the last of a team after the one before.
  const kinds = (await kindsTo(many)).filter((kind) => /disqualified|reinstated/.test(kind));
  expect(kinds.filter((kind) => kind === 'participant.disqualified')).toHaveLength(3);
  expect(kinds.filter((kind) => kind === 'participant.reinstated')).toHaveLength(3);
  const projectIds = [...cups, elsewhere].map(({ projectId }) => projectId);
  const mixed = await db.$queryRaw`SELECT xmin::text FROM outgoing_mail m WHERE "sourceId" = ANY (${projectIds})
    GROUP BY 1 HAVING count(DISTINCT "sourceId") > 1`;
  expect(mixed).toEqual([]);
});

test('what happened to a team later is written later, however much is written at once', async () => {
  const [captain, player] = (await makeUsers(2)) as [Player, Player];
  const cup = await makeTeamCup(`block of ${captain.id}`);
  const team = await registerTeam(cup, captain, player);
  for (let round = 0; round < 4; round += 1) {
    await change(cup, team, 'disqualify');
    await change(cup, team, 'reinstate');
  }
  const others = (await makeUsers(60)) as Player[];
  for (let at = 0; at < others.length; at += 2) await registerTeam(cup, others[at] as Player, others[at + 1] as Player);
  const writer = new EventEmailWriter(eventEmails);
  const events = await take();
  for (const event of events) writer.add([event]);
  await until(() => writer.idle);
  expect(await waiting()).toBe(0);
  const kinds = (await kindsTo(player)).filter((kind) => kind !== 'roster_notice');
  const round = ['participant.disqualified', 'participant.reinstated'];
  expect(kinds.slice(-8)).toEqual([...round, ...round, ...round, ...round]);
  const largest = await db.$queryRaw<{ most: number }[]>`SELECT max(count)::int AS most FROM (
    SELECT count(*) FROM outgoing_mail WHERE "sourceId" = ${cup.projectId} GROUP BY xmin::text) pages`;
  expect(largest[0]?.most).toBeLessThanOrEqual(12 * 2);
});
