import { expect, test } from 'vitest';
import type { TournamentUncheckedCreateInput } from '@/generated/prisma/models';
import { createContext } from '@/server/context';
import { db } from '@/server/db';
import { type EventType, eventCatalog, eventTypes, isPlanned } from '@/server/events/catalog/catalog';
import { appRouter } from '@/server/routers/_app';
import { evaluateOpen } from '@/server/routers/anticheat/data-evaluation';
import { mintEmailToken } from '@/server/routers/auth/data';
import { createCallerFactory } from '@/server/trpc';
import { makeApiKey, makeMember, makeProject, makeSubscription, makeTournament, makeUser } from '@/test/factories';

const facts = {
  requestId: 'req_01k9zq3v4e8m6t2r5x7c1b0a9d',
  ip: '127.0.0.1',
  transport: 'server',
  setHeader: () => undefined,
} as const;

/** Calls procedures with a Bearer value, or signed out without one. */
const as = (authorization?: string) => createCallerFactory(appRouter)(createContext({ ...facts, authorization }));

/** An operation to run, who does it, and the events that it emits besides the type it is listed under. */
type Operation = {
  projectId: string;
  run: () => Promise<unknown>;
  actor?: 'user' | 'api_key' | 'system';
  alsoEmits?: EventType[];
};

const hours = (count: number) => new Date(Date.now() + count * 3_600_000);

async function makeCup(data: Partial<TournamentUncheckedCreateInput> = {}) {
  const { project, owner } = await makeProject();
  const { bearer } = await makeMember(project.id, 'ORGANIZER');
  const tournament = await makeTournament(project.id, data);
  return { projectId: project.id, owner, bearer, staff: as(bearer), tournamentId: tournament.id };
}

/** A cup with one participant. */
async function makeCupWithPlayer(data: Partial<TournamentUncheckedCreateInput> = {}) {
  const made = await makeCup(data);
  const player = await makeUser();
  const self = as(player.bearer);
  const { id: participantId } = await self.participants.register({ tournamentId: made.tournamentId });
  return { ...made, player, self, participant: { tournamentId: made.tournamentId, participantId } };
}

/** A team tournament with a team of two. */
async function makeCupWithTeam() {
  const made = await makeCup({ teamSize: 2, rosterMin: 2, rosterMax: 3 });
  const [captain, player, spare] = await Promise.all([makeUser(), makeUser(), makeUser()]);
  const { id: participantId } = await as(captain.bearer).participants.register({
    tournamentId: made.tournamentId,
    teamName: 'Night Owls',
    teamMembers: [
      { userId: captain.id, role: 'captain' },
      { userId: player.id, role: 'player' },
    ],
  });
  return { ...made, captain, player, spare, participantId };
}

/** A tournament of two individuals that was started, and its one match. */
async function startedMatch(data: Partial<TournamentUncheckedCreateInput> = {}) {
  const made = await makeCup(data);
  const { tournamentId, staff } = made;
  const [one, other] = await Promise.all([makeUser(), makeUser()]);
  for (const { bearer } of [one, other]) await as(bearer).participants.register({ tournamentId });
  await staff.matches.start({ tournamentId });
  const match = (await staff.matches.list({ tournamentId })).items[0];
  if (!match) throw new Error('no match was drawn');
  const [first, second] = match.slots.map(({ participantId }) => participantId ?? '');
  return {
    ...made,
    matchId: match.id,
    one: as(one.bearer),
    other: as(other.bearer),
    first: first ?? '',
    second: second ?? '',
  };
}

/** The same with the two in a table of two legs, so that a result ends nothing. */
const startedTable = () => startedMatch({ format: 'round_robin', formatOptions: { legs: 2 } });

const won = { games: [{ scores: [16, 9] as [number, number] }] };

const draft = { status: 'DRAFT', publishedAt: null } as const;

/** The operation that emits each type. */
const operations: Partial<Record<EventType, () => Promise<Operation>>> = {
  'tournament.created': async () => {
    const { projectId, staff } = await makeCup();
    const settings = { name: 'Winter Cup', game: 'cs2', maxParticipants: 8, startDate: hours(48).toISOString() };
    return { projectId, run: () => staff.tournaments.create({ projectId, ...settings }) };
  },
  'tournament.published': async () => {
    const { projectId, staff, tournamentId } = await makeCup({ ...draft, registrationOpensAt: hours(1) });
    return { projectId, run: () => staff.tournaments.publish({ tournamentId }) };
  },
  'tournament.updated': async () => {
    const { projectId, staff, tournamentId } = await makeCup({ registrationAnnounced: 'opened' });
    return { projectId, run: () => staff.tournaments.update({ tournamentId, name: 'Spring Cup' }) };
  },
  'tournament.cancelled': async () => {
    const { projectId, staff, tournamentId } = await makeCup();
    return { projectId, run: () => staff.tournaments.cancel({ tournamentId }) };
  },
  'tournament.started': async () => {
    const { projectId, staff, tournamentId } = await makeCupWithPlayer({ format: 'swiss' });
    await as((await makeUser()).bearer).participants.register({ tournamentId });
    const run = () => staff.matches.start({ tournamentId });
    return { projectId, run, alsoEmits: ['match.created'] };
  },
  'tournament.completed': async () => {
    const { projectId, staff, matchId } = await startedMatch();
    const run = () => staff.matches.resolve({ matchId, ...won });
    return { projectId, run, alsoEmits: ['match.completed', 'participant.eliminated'] };
  },
  'match.created': async () => {
    const { projectId, staff, tournamentId } = await startedMatch();
    return { projectId, run: () => staff.matches.redraw({ tournamentId }), alsoEmits: ['tournament.updated'] };
  },
  'match.started': async () => {
    const { projectId, staff, matchId } = await startedMatch();
    return { projectId, run: () => staff.matches.begin({ matchId }) };
  },
  'match.completed': async () => {
    const { projectId, one, other, matchId } = await startedTable();
    await one.matches.report({ matchId, ...won });
    return { projectId, run: () => other.matches.confirm({ matchId }) };
  },
  'match.disputed': async () => {
    const { projectId, one, other, matchId } = await startedMatch();
    await one.matches.report({ matchId, ...won });
    return { projectId, run: () => other.matches.dispute({ matchId, reason: 'Wrong map' }) };
  },
  'match.rescheduled': async () => {
    const { projectId, one, other, matchId } = await startedMatch();
    await one.matches.reschedule({ matchId, scheduledAt: hours(2).toISOString() });
    return { projectId, run: () => other.matches.acceptTime({ matchId }) };
  },
  'match.forfeited': async () => {
    const { projectId, staff, matchId, second } = await startedTable();
    return { projectId, run: () => staff.matches.forfeit({ matchId, participantIds: [second] }) };
  },
  'match.result_corrected': async () => {
    const { projectId, staff, matchId, second } = await startedTable();
    await staff.matches.resolve({ matchId, ...won });
    return { projectId, run: () => staff.matches.correct({ matchId, winnerId: second }) };
  },
  'participant.eliminated': async () => {
    const { projectId, staff, matchId, second } = await startedMatch();
    const run = () => staff.matches.forfeit({ matchId, participantIds: [second] });
    return { projectId, run, alsoEmits: ['match.forfeited', 'tournament.completed'] };
  },
  'registration.opened': async () => {
    const { projectId, staff, tournamentId } = await makeCup({ registrationOpensAt: hours(1) });
    return { projectId, run: () => staff.tournaments.openRegistration({ tournamentId }) };
  },
  'registration.closed': async () => {
    const { projectId, staff, tournamentId } = await makeCup({ registrationAnnounced: 'opened' });
    return { projectId, run: () => staff.tournaments.closeRegistration({ tournamentId }) };
  },
  'registration.full': async () => {
    const { projectId, tournamentId } = await makeCupWithPlayer({ maxParticipants: 2 });
    const player = await makeUser();
    const run = () => as(player.bearer).participants.register({ tournamentId });
    return { projectId, run, alsoEmits: ['participant.registered'] };
  },
  'participant.registered': async () => {
    const { projectId, tournamentId } = await makeCup();
    const player = await makeUser();
    return { projectId, run: () => as(player.bearer).participants.register({ tournamentId }) };
  },
  'participant.waitlisted': async () => {
    const { projectId, staff, participant } = await makeCupWithPlayer();
    return { projectId, run: () => staff.participants.waitlist(participant) };
  },
  'participant.approved': async () => {
    const { projectId, staff, participant } = await makeCupWithPlayer({ requiresApproval: true });
    return { projectId, run: () => staff.participants.approve(participant) };
  },
  'participant.rejected': async () => {
    const { projectId, staff, participant } = await makeCupWithPlayer({ requiresApproval: true });
    return { projectId, run: () => staff.participants.reject(participant) };
  },
  'participant.checked_in': async () => {
    const { projectId, self, tournamentId } = await makeCupWithPlayer({ checkInOpensAt: hours(-1) });
    return { projectId, run: () => self.participants.checkInMine({ tournamentId }) };
  },
  'participant.disqualified': async () => {
    const { projectId, staff, participant } = await makeCupWithPlayer();
    return { projectId, run: () => staff.participants.disqualify({ ...participant, reason: 'Second account' }) };
  },
  'participant.reinstated': async () => {
    const { projectId, staff, participant } = await makeCupWithPlayer();
    await staff.participants.disqualify({ ...participant, reason: 'Second account' });
    return { projectId, run: () => staff.participants.reinstate(participant) };
  },
  'participant.removed': async () => {
    const { projectId, staff, participant } = await makeCupWithPlayer();
    return { projectId, run: () => staff.participants.remove(participant) };
  },
  'participant.withdrawn': async () => {
    const { projectId, self, tournamentId } = await makeCupWithPlayer();
    return { projectId, run: () => self.participants.cancelMine({ tournamentId }) };
  },
  'participant.no_show': async () => {
    const { projectId, staff, tournamentId } = await makeCupWithPlayer({
      checkInOpensAt: hours(-2),
      checkInClosesAt: hours(-1),
    });
    return { projectId, run: () => staff.participants.markNoShows({ tournamentId }) };
  },
  'participant.substituted': async () => {
    const { projectId, staff, tournamentId, player, spare, participantId } = await makeCupWithTeam();
    const change = { outUserId: player.id, substituteUserId: spare.id, reason: 'Power cut' };
    return { projectId, run: () => staff.participants.substitute({ tournamentId, participantId, ...change }) };
  },
  'participant.updated': async () => {
    const { projectId, tournamentId, captain } = await makeCupWithTeam();
    return {
      projectId,
      run: () => as(captain.bearer).participants.editMine({ tournamentId, teamName: 'Day Owls' }),
    };
  },
  'user.created': async () => {
    const { projectId, tournamentId } = await makeCup();
    const email = `${tournamentId}@players.test`;
    return {
      projectId,
      run: () => as().auth.register({ email, password: 'long-enough-password', name: 'Ada', tournamentId }),
    };
  },
  'user.verified': async () => {
    const { projectId } = await makeCup();
    const member = await makeMember(projectId, 'MEMBER');
    await db.user.update({ where: { id: member.id }, data: { emailVerifiedAt: null } });
    const token = await db.$transaction((tx) => mintEmailToken(tx, member.id, 'verify_email'));
    return { projectId, run: () => as(member.bearer).auth.verifyEmail({ token }) };
  },
  'anticheat.detection_raised': async () => {
    const { projectId, sessionId, client } = await makeSession();
    await client.antiCheat.client.postReports({
      reports: [{ sequence: 1, at: new Date().toISOString(), kind: 'process', data: { name: 'xenos64.exe' } }],
    });
    return { projectId, actor: 'system', run: () => evaluateOpen(sessionId) };
  },
  'anticheat.session_completed': async () => {
    const { projectId, sessionId, server } = await makeSession();
    return {
      projectId,
      actor: 'api_key',
      run: () => server.antiCheat.sessions.end({ sessionId, reason: 'match completed' }),
    };
  },
  'webhook.test': async () => {
    const { projectId, owner } = await makeCup();
    const { id } = await makeSubscription(projectId, { url: 'http://127.0.0.1:9/hook' });
    return { projectId, run: () => as(owner.bearer).webhooks.subscriptions.test({ id }) };
  },
};

/** An anti-cheat session of one player, with callers for the game server's key and for the player's client. */
async function makeSession() {
  const { project } = await makeProject({ plan: 'enterprise' });
  const player = await makeMember(project.id, 'MEMBER');
  const { clientToken } = await as(player.bearer).antiCheat.clients.enroll({ projectId: project.id });
  const { key } = await makeApiKey(project.id);
  const server = createCallerFactory(appRouter)(createContext({ ...facts, apiKey: key }));
  const { sessionId } = await server.antiCheat.sessions.start({ game: 'cs2', participants: [{ userId: player.id }] });
  return { projectId: project.id, sessionId, server, client: as(`Bearer ${clientToken}`) };
}

test('every type either has an operation here or is planned', () => {
  const planned = eventTypes.filter(isPlanned);
  expect([...Object.keys(operations), ...planned].sort()).toEqual([...eventTypes].sort());
});

test.each(Object.keys(operations) as EventType[])('%s is emitted once', async (type) => {
  const operation = await operations[type]?.();
  if (!operation) throw new Error('no operation');
  const newest = await db.domainEvent.aggregate({ _max: { sequence: true } });
  await operation.run();
  const { projectId, actor = 'user', alsoEmits = [] } = operation;
  const events = await db.domainEvent.findMany({ where: { projectId, sequence: { gt: newest._max.sequence ?? 0 } } });
  expect(events.map((event) => event.type).sort()).toEqual([type, ...alsoEmits].sort());
  for (const event of events) {
    const { payload, version, aggregateType } = eventCatalog[event.type as EventType];
    expect(payload.parse(event.payload)).toEqual(event.payload);
    expect(event).toMatchObject({ version, aggregateType, metadata: { actor: { type: actor } } });
    expect(Object.values(event.payload as object)).toContain(event.aggregateId);
    expect(event.metadata).toMatchObject({ requestId: actor === 'system' ? null : facts.requestId });
  }
});
