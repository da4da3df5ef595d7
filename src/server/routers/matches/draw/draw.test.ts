import { expect, test } from 'vitest';
import { hashText } from '@/domain/brackets/draw/random';
import { db } from '@/server/db';
import { countEvents, makeCup, readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import type { BracketOutput, DrawOutput, MatchOutput } from '@/server/routers/matches/schema';
import { makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();
type Cup = Awaited<ReturnType<typeof makeCup>>;

const preview = (cup: Cup, query = '') =>
  api.get<DrawOutput>(`/tournaments/${cup.tournamentId}/draw${query}`, { bearer: cup.organizer.bearer });
const redraw = (cup: Cup) =>
  api.post<DrawOutput>(`/tournaments/${cup.tournamentId}/draw`, { bearer: cup.organizer.bearer });
const start = (cup: Cup, body: unknown) =>
  api.post(`/tournaments/${cup.tournamentId}/start`, { bearer: cup.organizer.bearer, body });
const order = ({ participants }: DrawOutput) => participants.map(({ participantId }) => participantId);
const unseed = (cup: Cup) =>
  db.participant.updateMany({ where: { tournamentId: cup.tournamentId }, data: { seed: null } });

test('the start makes the draw that was previewed', async () => {
  const cup = await makeCup(6);
  await unseed(cup);
  const drawn = (await redraw(cup)).body;
  expect((await preview(cup)).body).toEqual(drawn);
  expect((await start(cup, { drawHash: drawn.drawHash })).status).toBe(200);
  const slots = (matches: { slots: { participantId: string | null }[] }[]) =>
    matches.map((match) => match.slots.map(({ participantId }) => participantId));
  const previewed = drawn.bracket.stages.flatMap(({ rounds }) => rounds.flatMap(({ matches }) => matches));
  previewed.sort((a, b) => a.number - b.number);
  expect(slots(await readMatches(api, cup.tournamentId))).toEqual(slots(previewed));
  const seeds = await db.participant.findMany({ where: { tournamentId: cup.tournamentId }, orderBy: { seed: 'asc' } });
  expect(seeds.map(({ id }) => id)).toEqual(order(drawn));
});

test.each(['round_robin', 'swiss'] as const)(
  'lots of a %s are not known from ids, and stay from preview to play',
  async (format) => {
    const cup = await makeCup(12, { format, formatOptions: { tiebreakers: ['points', 'random'] } });
    const { tournamentId, participantIds } = cup;
    const bearer = cup.organizer.bearer;
    const table = (bracket: BracketOutput) =>
      bracket.stages.flatMap(({ standings }) =>
        standings?.groups.flatMap(({ rows }) => rows.map(({ participantId }) => participantId)),
      );
    const drawn = (await preview(cup)).body;
    expect(table(drawn.bracket)).toHaveLength(12);
    const lotOf = (id: string) => hashText(`${tournamentId}:tiebreak:${id}`);
    expect(table(drawn.bracket)).not.toEqual(participantIds.toSorted((a, b) => lotOf(b) - lotOf(a)));
    expect((await preview(cup)).body).toEqual(drawn);
    const started = await start(cup, { drawHash: drawn.drawHash });
    const played = await api.get<BracketOutput>(`/tournaments/${tournamentId}/bracket`);
    expect(table(played.body)).toEqual(table(drawn.bracket));

    const { lotSecret } = await db.tournament.findUniqueOrThrow({ where: { id: tournamentId } });
    const reading = ['', '/bracket', '/standings', '/export'].map((path) =>
      api.get(`/tournaments/${tournamentId}${path}`, { bearer }),
    );
    const events = await db.domainEvent.findMany({ where: { projectId: cup.project.id }, select: { payload: true } });
    const audited = await db.auditEntry.findMany({ where: { projectId: cup.project.id }, select: { details: true } });
    const written = [started, played, ...(await Promise.all(reading))].map(({ text }) => text);
    expect([...written, JSON.stringify([drawn, events, audited])].join()).not.toContain(lotSecret);
  },
);

test('lots come from the secret of the tournament and stay when it is drawn again', async () => {
  const cup = await startCup(api, 4, { format: 'round_robin' });
  const lotsOf = async () => (await db.bracket.findUniqueOrThrow({ where: { tournamentId: cup.tournamentId } })).lots;
  const before = await lotsOf();
  await redraw(cup);
  expect(await lotsOf()).toEqual(before);
  await db.tournament.update({ where: { id: cup.tournamentId }, data: { lotSecret: crypto.randomUUID() } });
  await redraw(cup);
  expect(new Set([...before, ...(await lotsOf()), ...cup.participantIds]).size).toBe(12);
});

test('a start with the hash of another draw is refused and writes nothing', async () => {
  const cup = await makeCup(8);
  await unseed(cup);
  const { drawHash } = (await preview(cup)).body;
  await redraw(cup);
  expect((await start(cup, { drawHash })).reason).toBe('DRAW_CHANGED');
  expect((await countEvents(cup.project.id))['tournament.started']).toBeUndefined();
});

test('drawing again keeps seeds that were set by hand', async () => {
  const cup = await makeCup(8);
  const [first, second] = cup.participantIds;
  await db.participant.updateMany({
    where: { tournamentId: cup.tournamentId, id: { notIn: [first ?? '', second ?? ''] } },
    data: { seed: null },
  });
  const orders = new Set<string>();
  for (let round = 0; round < 4; round += 1) {
    const drawn = order((await redraw(cup)).body);
    expect(drawn.slice(0, 2)).toEqual([first, second]);
    orders.add(drawn.join());
  }
  expect(orders.size).toBeGreaterThan(1);
});

test('who has not checked in plays, or becomes a no-show where the organizer says so; nobody moves up', async () => {
  const cup = await makeCup(4);
  const checkedIn = cup.participantIds.slice(0, 3);
  await db.participant.updateMany({ where: { id: { in: checkedIn } }, data: { status: 'checked_in' } });
  expect((await preview(cup)).body.participants).toHaveLength(4);
  const without = (await preview(cup, '?removeNoShows=true')).body;
  expect([without.participants.length, without.notCheckedIn.length]).toEqual([3, 1]);
  expect((await start(cup, { removeNoShows: true, drawHash: without.drawHash })).status).toBe(200);
  const states = await db.participant.findMany({
    where: { tournamentId: cup.tournamentId },
    orderBy: { registeredAt: 'asc' },
  });
  expect(states.map(({ status }) => status)).toEqual(['active', 'active', 'active', 'no_show']);
  expect(await countEvents(cup.project.id)).toMatchObject({ 'participant.no_show': 1, 'tournament.started': 1 });
});

const at = (hours: number) => new Date(Date.now() + hours * 3_600_000);

test('who moves up from the waitlist after check-in has closed plays, and is no no-show', async () => {
  const window = { checkInOpensAt: at(-2), checkInClosesAt: at(1), waitlistEnabled: true, maxParticipants: 4 };
  const cup = await makeCup(6, window);
  const [leaves = '', there = '', also = '', absent = '', first = '', last = ''] = cup.participantIds;
  await db.participant.updateMany({ where: { id: { in: [leaves, there, also] } }, data: { status: 'checked_in' } });
  await db.participant.updateMany({ where: { tournamentId: cup.tournamentId }, data: { registeredAt: at(-3) } });
  await db.participant.updateMany({
    where: { id: { in: [leaves, there, also, absent] } },
    data: { approvedAt: at(-3) },
  });
  await db.tournament.update({ where: { id: cup.tournamentId }, data: { checkInClosesAt: at(-1) } });
  const path = `/tournaments/${cup.tournamentId}`;
  const { bearer } = cup.organizer;
  expect((await api.call('DELETE', `${path}/participants/${leaves}`, { bearer })).status).toBe(200);
  const { notCheckedIn } = (await preview(cup)).body;
  expect(notCheckedIn.map(({ participantId }) => participantId)).toEqual([absent]);
  expect(order((await preview(cup, '?removeNoShows=true')).body)).toEqual([there, also, first]);

  const { participants } = api.trpc(bearer);
  const counted = { approved: 4, checkedIn: 2, notCheckedIn: 1 };
  expect(await participants.counts.query({ tournamentId: cup.tournamentId })).toMatchObject(counted);
  const ofProject = await participants.ofProject.query({ projectId: cup.project.id });
  expect(ofProject.tournaments).toMatchObject([{ checkedIn: 2, notCheckedIn: 1 }]);
  const rows = (await participants.desk.query({ tournamentId: cup.tournamentId })).items;
  const marked = rows.filter(({ actions }) => actions.includes('mark_no_show'));
  expect(marked.map(({ id }) => id)).toEqual([absent]);
  expect(rows.find(({ id }) => id === first)).toMatchObject({ status: 'registered', owesCheckIn: false });

  // Marking no-shows moves up the last one, and again marks nobody.
  const mark = () => participants.markNoShows.mutate({ tournamentId: cup.tournamentId });
  expect([(await mark()).done, (await mark()).done]).toEqual([[absent], []]);
  expect((await start(cup, { removeNoShows: true })).status).toBe(200);
  const states = await db.participant.findMany({ where: { id: { in: [there, also, absent, first, last] } } });
  const statusOf = Object.fromEntries(states.map(({ id, status }) => [id, status]));
  expect([there, also, absent, first, last].map((id) => statusOf[id])).toEqual([
    ...['active', 'active', 'no_show', 'active', 'active'],
  ]);
});

test('who missed check-in and registers again after it has closed is still a no-show', async () => {
  const cup = await makeCup(3, { checkInOpensAt: at(-2), checkInClosesAt: at(1), maxParticipants: 4 });
  const { tournamentId, participantIds } = cup;
  await db.participant.updateMany({ where: { id: { in: participantIds } }, data: { status: 'checked_in' } });
  const { bearer } = await makeUser();
  const path = `/tournaments/${tournamentId}`;
  const register = () => api.post<{ id: string }>(`${path}/participants/register`, { bearer });
  const { id: absent } = (await register()).body;
  await db.participant.updateMany({ where: { tournamentId }, data: { registeredAt: at(-3), approvedAt: at(-3) } });
  await db.tournament.update({ where: { id: tournamentId }, data: { checkInClosesAt: at(-1) } });
  expect((await api.post(`${path}/registrations/me/cancel`, { bearer })).status).toBe(200);
  expect((await register()).body).toMatchObject({ id: absent, registrationStatus: 'approved', status: 'registered' });

  const without = (await preview(cup, '?removeNoShows=true')).body;
  expect(without.notCheckedIn.map(({ participantId }) => participantId)).toEqual([absent]);
  const { participants } = api.trpc(cup.organizer.bearer);
  expect(await participants.counts.query({ tournamentId })).toMatchObject({ checkedIn: 3, notCheckedIn: 1 });
  const ofProject = await participants.ofProject.query({ projectId: cup.project.id });
  expect(ofProject.tournaments).toMatchObject([{ checkedIn: 3, notCheckedIn: 1 }]);
  const row = (await participants.desk.query({ tournamentId })).items.find(({ id }) => id === absent);
  expect(row).toMatchObject({ owesCheckIn: true, actions: expect.arrayContaining(['mark_no_show', 'check_in']) });
  expect((await start(cup, { removeNoShows: true })).status).toBe(200);
  expect(await db.participant.findUnique({ where: { id: absent } })).toMatchObject({ status: 'no_show' });
});

test('a start needs two participants, a published tournament and playable options', async () => {
  expect((await start(await makeCup(1), {})).reason).toBe('NOT_ENOUGH_PARTICIPANTS');
  expect((await start(await makeCup(4, { status: 'DRAFT' }), {})).reason).toBe('INVALID_STATE');
  const groups = { format: 'groups_to_knockout', formatOptions: { groups: 3 } } as const;
  expect((await start(await makeCup(4, groups), {})).reason).toBe('FORMAT_NOT_PLAYABLE');
});

test('a bracket can be drawn again until something is played', async () => {
  const cup = await startCup(api, 4, { format: 'swiss' });
  expect((await redraw(cup)).status).toBe(200);
  const [reported] = await readMatches(api, cup.tournamentId);
  const bearer = await cup.bearerOf(reported?.slots[0].participantId);
  const body = { games: [{ scores: [1, 0] }] };
  expect((await api.post(`/matches/${reported?.id}/report`, { bearer, body })).status).toBe(200);
  expect((await redraw(cup)).status, 'one player keeps nobody from it').toBe(200);
  const [match] = await readMatches(api, cup.tournamentId);
  await api.post(`/matches/${match?.id}/start`, { bearer: cup.moderator.bearer });
  expect((await redraw(cup)).reason).toBe('INVALID_STATE');
});

test('two sides who dispute keep nobody from drawing again, unless staff have started their match', async () => {
  const cup = await startCup(api, 4, { format: 'swiss' });
  const staff = { bearer: cup.moderator.bearer };
  const firstMatch = async () => {
    const [match] = await readMatches(api, cup.tournamentId);
    const [a, b] = await Promise.all((match?.slots ?? []).map(({ participantId }) => cup.bearerOf(participantId)));
    return { path: `/matches/${match?.id}`, a, b };
  };
  const dispute = async ({ path, a, b }: Awaited<ReturnType<typeof firstMatch>>) => {
    await api.post(`${path}/report`, { bearer: a, body: { games: [{ scores: [1, 0] }] } });
    const reported = { bearer: b, body: { games: [{ scores: [0, 1] }] } };
    expect((await api.post<MatchOutput>(`${path}/report`, reported)).body.status).toBe('disputed');
  };
  await dispute(await firstMatch());
  expect((await redraw(cup)).status).toBe(200);
  const started = await firstMatch();
  await api.post(`${started.path}/start`, staff);
  await dispute(started);
  expect((await redraw(cup)).reason).toBe('INVALID_STATE');
});

test('matches stay whose events would take longer to delete than a transaction may', async () => {
  const cup = await startCup(api, 4, { format: 'swiss' });
  const { tournamentId } = cup;
  const posted = (events: number) => db.match.updateMany({ where: { tournamentId }, data: { lastSequence: events } });
  await posted(500_001);
  expect(await redraw(cup)).toMatchObject({ status: 409, reason: 'INVALID_STATE' });
  await posted(500_000);
  expect((await redraw(cup)).status).toBe(200);
});

test('a bracket of 256 is drawn and read whole', async () => {
  const cup = await startCup(api, 256);
  expect(await readMatches(api, cup.tournamentId)).toHaveLength(255);
});
