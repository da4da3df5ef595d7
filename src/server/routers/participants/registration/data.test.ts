import { expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { db } from '@/server/db';
import { makeTournament, makeUser } from '@/test/factories';
import { holdLock, someoneWaits, waiting } from '@/test/locks';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';
import { statementsOf } from '@/test/statements';
import { hostTeam, hostTournament, hoursFromNow } from '@/test/tournaments';
import { createRegistration, type NewRegistration, readRegistrationContext } from './data';

const api = setupTestServer();

type Player = Awaited<ReturnType<typeof makeUser>>;

/** A registration by a player, decided for a tournament with a waitlist. */
const registrationOf = (
  { id: userId, sessionVersion, name }: Player,
  decided: Partial<NewRegistration> = {},
): NewRegistration => ({
  id: newId('prt'),
  replaces: null,
  type: 'individual',
  userId,
  sessionVersion,
  name,
  teamId: null,
  answers: {},
  roster: [],
  onFree: 'approved',
  onFull: 'waitlisted',
  events: { free: [], full: [], closing: [] },
  ...decided,
});

test('writes nothing when the cancelled registration is removed between reading and writing', async () => {
  const cup = await hostTournament(api);
  const player = await makeUser();
  const { body } = await cup.register(player.bearer);
  await cup.cancel(player.bearer);
  const { tournament, own } = await readRegistrationContext(db, cup.id, player.id);
  const replaces = { version: own?.version ?? 0, withOthers: false };
  const registration = registrationOf(player, { id: body.id, replaces, onFull: null });
  await db.participant.delete({ where: { id: body.id } });
  expect(await createRegistration(db, tournament, registration)).toBeNull();
  expect(await db.participant.count({ where: { tournamentId: cup.id } })).toBe(0);
  expect(await cup.taken()).toBe(0);
  const second = await cup.register(player.bearer);
  expect([second.status, second.body.id === body.id]).toEqual([201, false]);
});

test('writes no other players when rosters lock, or the cancelled registration changes, between reading and writing', async () => {
  const { id: tournamentId, captain, participantId: id, team, set, register, cancel } = await hostTeam(api);
  await cancel(captain.bearer);
  const read = () => readRegistrationContext(db, tournamentId, captain.id);
  const { tournament, own } = await read();
  const again = { version: own?.version ?? 0, withOthers: true };
  const create = (replaces: NewRegistration['replaces']) =>
    createRegistration(db, tournament, registrationOf(captain, { id, type: 'team', replaces }));
  await set({ rosterLockAt: hoursFromNow(-1) });
  expect(await create(again)).toBeNull();
  await set({ rosterLockAt: hoursFromNow(1) });
  expect((await register(captain.bearer, team)).status).toBe(201);
  await cancel(captain.bearer);
  expect(await create(again)).toBeNull();
  expect(await create({ ...again, version: (await read()).own?.version ?? 0 })).toMatchObject({ id });
});

/** A tournament for `maxParticipants`, and what to write the registrations of several players with at once. */
async function scene(maxParticipants: number, players: number) {
  const cup = await hostTournament(api, { maxParticipants, waitlistEnabled: true });
  const all = await Promise.all(Array.from({ length: players }, () => makeUser()));
  const { tournament } = await readRegistrationContext(db, cup.id, all[0]?.id ?? '');
  const create = (registrations: NewRegistration[]) =>
    Promise.all(registrations.map((each) => createRegistration(db, tournament, each)));
  return { cup, all, create };
}

test('registrations that come together share a statement, and take slots and places in their order', async () => {
  const { cup, all, create } = await scene(5, 12);
  let written: Awaited<ReturnType<typeof create>> = [];
  const statements = await statementsOf(async () => {
    written = await create(all.map((player) => registrationOf(player)));
  });
  expect(statements).toHaveLength(1);
  expect(written.map((row) => row?.userId)).toEqual(all.map(({ id }) => id));
  const approved = written.filter((row) => row?.registrationStatus === 'approved');
  expect(approved).toEqual(written.slice(0, 5));
  const places = written.slice(5).map((row) => Number(row?.waitlistOrder));
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(await cup.taken()).toBe(5);
});

test('a registration that comes twice at once is written once, and the others beside it take their slots', async () => {
  const { cup, all, create } = await scene(4, 6);
  const [first, twice, ...others] = all.map((player) => registrationOf(player));
  if (!first || !twice) throw new Error('There are six players');
  const written = await create([first, twice, { ...twice, id: newId('prt') }, ...others]);
  expect(written.map((row) => row?.registrationStatus ?? null)).toEqual([
    ...['approved', 'approved', null, 'approved', 'approved', 'waitlisted', 'waitlisted'],
  ]);
  expect(await cup.taken()).toBe(4);
});

test('a registration whose session ended while it waited is not written, and the others beside it take their slots', async () => {
  const { cup, all, create } = await scene(2, 4);
  const [taken, ...others] = all;
  if (!taken) throw new Error('There are four players');
  const release = await holdLock('SELECT FROM "tournament" WHERE "id" = $1 FOR UPDATE', [cup.id]);
  const late = cup.register(taken.bearer);
  await someoneWaits();
  const together = create(all.map((player) => registrationOf(player)));
  await db.user.update({ where: { id: taken.id }, data: { sessionVersion: { increment: 1 } } });
  await release();
  expect(await late).toMatchObject({ status: 401, reason: 'UNAUTHENTICATED' });
  const statuses = (await together).map((row) => row?.registrationStatus ?? null);
  expect(statuses).toEqual([null, 'approved', 'approved', 'waitlisted']);
  const rows = await db.participant.findMany({ where: { tournamentId: cup.id }, select: { userId: true } });
  expect(rows.map(({ userId }) => userId).sort()).toEqual(others.map(({ id }) => id).sort());
});

test('nor is one that is made again', async () => {
  const cup = await hostTournament(api);
  const player = await makeUser();
  await cup.register(player.bearer);
  await cup.cancel(player.bearer);
  const release = await holdLock('SELECT FROM "tournament" WHERE "id" = $1 FOR UPDATE', [cup.id]);
  const late = cup.register(player.bearer);
  await someoneWaits();
  await db.user.update({ where: { id: player.id }, data: { sessionVersion: { increment: 1 } } });
  await release();
  expect(await late).toMatchObject({ status: 401, reason: 'UNAUTHENTICATED' });
  expect(await cup.taken()).toBe(0);
});

test('registrations that are made again wait for no tournament of another block of addresses that is held', async () => {
  const cups = await Promise.all([1, 2, 3].map(() => hostTournament(api)));
  const owners = { tournaments: { some: { id: { in: cups.map(({ id }) => id) } } } };
  await db.project.updateMany({ where: owners, data: { createdFrom: newId('prj') } });
  const other = await hostTournament(api);
  const players = await Promise.all(Array.from({ length: 7 }, () => makeUser()));
  const places = players.map((player, at) => ({ player, cup: cups[Math.floor(at / 2)] ?? other }));
  for (const { player, cup } of places) {
    await cup.register(player.bearer);
    await cup.cancel(player.bearer);
  }
  const release = await holdLock('SELECT FROM "tournament" WHERE "id" = ANY ($1) FOR UPDATE', [
    cups.map(({ id }) => id),
  ]);
  const [last, ...held] = places.toReversed();
  const waitingAgain = held.map(({ player, cup }) => cup.register(player.bearer));
  await until(async () => (await waiting()) >= 3);
  expect((await last?.cup.register(last.player.bearer))?.status).toBe(201);
  expect(await waiting()).toBe(3);
  await release();
  expect((await Promise.all(waitingAgain)).map(({ status }) => status)).toEqual(Array(6).fill(201));
});

test('no registration waits for the account of another player', async () => {
  const { cup, all, create } = await scene(4, 3);
  const [held] = all;
  const release = await holdLock('SELECT FROM "user" WHERE "id" = $1 FOR NO KEY UPDATE', [held?.id]);
  const written = await create(all.map((player) => registrationOf(player)));
  expect(written.map((row) => row !== null)).toEqual([false, true, true]);
  const own = cup.register(held?.bearer ?? '');
  await someoneWaits();
  await release();
  expect((await own).status).toBe(201);
  expect(await cup.taken()).toBe(3);
});

test('registrations that wait for approval take no slot, however many come together', async () => {
  const { cup, all, create } = await scene(2, 5);
  const written = await create(all.map((player) => registrationOf(player, { onFree: 'pending' })));
  expect(written.map((row) => row?.registrationStatus)).toEqual(Array.from(all, () => 'pending'));
  expect(await cup.taken()).toBe(0);
});

test('without a waitlist, those of a group that find no slot are not written', async () => {
  const { cup, all, create } = await scene(2, 5);
  const written = await create(all.map((player) => registrationOf(player, { onFull: null })));
  expect(written.map((row) => row !== null)).toEqual([true, true, false, false, false]);
  expect(await cup.taken()).toBe(2);
});

test('however often a player registers again at once, and wherever, one of them waits in the database', async () => {
  const cups = [await hostTournament(api), await hostTournament(api), await hostTournament(api)];
  const player = await makeUser();
  for (const { register, cancel } of cups) {
    await register(player.bearer);
    await cancel(player.bearer);
  }
  const release = await holdLock('SELECT FROM "tournament" WHERE "id" = ANY ($1) FOR UPDATE', [
    cups.map(({ id }) => id),
  ]);
  const answers = cups.flatMap(({ register }) => Array.from({ length: 4 }, () => register(player.bearer)));
  await someoneWaits();
  // Others are answered meanwhile, again and again.
  for (let round = 0; round < 5; round += 1) {
    expect((await api.get(cups[0]?.path ?? '')).status).toBe(200);
    expect(await waiting()).toBe(1);
  }
  await release();
  const statuses = (await Promise.all(answers)).map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array(3).fill(201), ...Array(9).fill(409)]);
});

test('of the tournaments of a project whose rows are held, registrations wait for two in the database', async () => {
  const first = await hostTournament(api);
  const others = await Promise.all(Array.from({ length: 3 }, () => makeTournament(first.project.id)));
  const ids = [first.id, ...others.map(({ id }) => id)];
  const release = await holdLock('SELECT FROM "tournament" WHERE "id" = ANY ($1) FOR UPDATE', [ids]);
  const answers = ids.map(async (id) => {
    const { bearer } = await makeUser();
    return api.post(`/tournaments/${id}/participants/register`, { bearer });
  });
  await until(async () => (await waiting()) >= 2);
  for (let round = 0; round < 5; round += 1) {
    expect((await api.get(first.path)).status).toBe(200);
    expect(await waiting()).toBe(2);
  }
  await release();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([201, 201, 201, 201]);
});
