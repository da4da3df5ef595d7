import { expect, test } from 'vitest';
import type { TournamentUncheckedCreateInput } from '@/generated/prisma/models';
import { createContext } from '@/server/context';
import { db } from '@/server/db';
import { type EventType, eventCatalogue, eventTypes } from '@/server/events/catalog';
import { appRouter } from '@/server/routers/_app';
import { mintEmailToken } from '@/server/routers/auth/data';
import { createCallerFactory } from '@/server/trpc';
import { makeMember, makeProject, makeSubscription, makeTournament, makeUser } from '@/test/factories';

/** Calls procedures as the holder of the Bearer value; as nobody without one. */
const as = (authorization?: string) =>
  createCallerFactory(appRouter)(
    createContext({
      requestId: 'req_emission',
      ip: '127.0.0.1',
      transport: 'server',
      authorization,
      setHeader: () => undefined,
    }),
  );

/** One operation about to be done, and the events that it commits besides the one it is listed under. */
type Stage = { projectId: string; act: () => Promise<unknown>; beside?: EventType[] };

const hours = (count: number) => new Date(Date.now() + count * 3_600_000);

async function cup(data: Partial<TournamentUncheckedCreateInput> = {}) {
  const { project, owner } = await makeProject();
  const { bearer } = await makeMember(project.id, 'ORGANIZER');
  const tournament = await makeTournament(project.id, data);
  return { projectId: project.id, owner, bearer, staff: as(bearer), tournamentId: tournament.id };
}

/** A cup with one player in it. */
async function entered(data: Partial<TournamentUncheckedCreateInput> = {}) {
  const made = await cup(data);
  const player = await makeUser();
  const self = as(player.bearer);
  const { id: participantId } = await self.participants.register({ tournamentId: made.tournamentId });
  return { ...made, player, self, entrant: { tournamentId: made.tournamentId, participantId } };
}

/** A team tournament with a team of two in it. */
async function enteredTeam() {
  const made = await cup({ teamSize: 2, rosterMin: 2, rosterMax: 3 });
  const [captain, mate, spare] = await Promise.all([makeUser(), makeUser(), makeUser()]);
  const { id: participantId } = await as(captain.bearer).participants.register({
    tournamentId: made.tournamentId,
    teamName: 'Night Owls',
    teamMembers: [
      { userId: captain.id, role: 'captain' },
      { userId: mate.id, role: 'player' },
    ],
  });
  return { ...made, captain, mate, spare, participantId };
}

const draft = { status: 'DRAFT', publishedAt: null } as const;

/** How each type comes about today. */
const operations: Partial<Record<EventType, () => Promise<Stage>>> = {
  'tournament.created': async () => {
    const { projectId, staff } = await cup();
    const settings = { name: 'Winter Cup', game: 'cs2', maxParticipants: 8, startDate: hours(48).toISOString() };
    return { projectId, act: () => staff.tournaments.create({ projectId, ...settings }) };
  },
  'tournament.published': async () => {
    const { projectId, staff, tournamentId } = await cup({ ...draft, registrationOpensAt: hours(1) });
    return { projectId, act: () => staff.tournaments.publish({ tournamentId }) };
  },
  'tournament.updated': async () => {
    const { projectId, staff, tournamentId } = await cup({ registrationAnnounced: 'opened' });
    return { projectId, act: () => staff.tournaments.update({ tournamentId, name: 'Spring Cup' }) };
  },
  'tournament.cancelled': async () => {
    const { projectId, staff, tournamentId } = await cup();
    return { projectId, act: () => staff.tournaments.cancel({ tournamentId }) };
  },
  'registration.opened': async () => {
    const { projectId, staff, tournamentId } = await cup({ registrationOpensAt: hours(1) });
    return { projectId, act: () => staff.tournaments.openRegistration({ tournamentId }) };
  },
  'registration.closed': async () => {
    const { projectId, staff, tournamentId } = await cup({ registrationAnnounced: 'opened' });
    return { projectId, act: () => staff.tournaments.closeRegistration({ tournamentId }) };
  },
  'registration.full': async () => {
    const { projectId, tournamentId } = await entered({ maxParticipants: 2 });
    const player = await makeUser();
    const act = () => as(player.bearer).participants.register({ tournamentId });
    return { projectId, act, beside: ['participant.registered'] };
  },
  'participant.registered': async () => {
    const { projectId, tournamentId } = await cup();
    const player = await makeUser();
    return { projectId, act: () => as(player.bearer).participants.register({ tournamentId }) };
  },
  'participant.waitlisted': async () => {
    const { projectId, staff, entrant } = await entered();
    return { projectId, act: () => staff.participants.waitlist(entrant) };
  },
  'participant.approved': async () => {
    const { projectId, staff, entrant } = await entered({ requiresApproval: true });
    return { projectId, act: () => staff.participants.approve(entrant) };
  },
  'participant.rejected': async () => {
    const { projectId, staff, entrant } = await entered({ requiresApproval: true });
    return { projectId, act: () => staff.participants.reject(entrant) };
  },
  'participant.checked_in': async () => {
    const { projectId, self, tournamentId } = await entered({ checkInOpensAt: hours(-1) });
    return { projectId, act: () => self.participants.checkInMine({ tournamentId }) };
  },
  'participant.disqualified': async () => {
    const { projectId, staff, entrant } = await entered();
    return { projectId, act: () => staff.participants.disqualify({ ...entrant, reason: 'Second account' }) };
  },
  'participant.reinstated': async () => {
    const { projectId, staff, entrant } = await entered();
    await staff.participants.disqualify({ ...entrant, reason: 'Second account' });
    return { projectId, act: () => staff.participants.reinstate(entrant) };
  },
  'participant.removed': async () => {
    const { projectId, staff, entrant } = await entered();
    return { projectId, act: () => staff.participants.remove(entrant) };
  },
  'participant.withdrawn': async () => {
    const { projectId, self, tournamentId } = await entered();
    return { projectId, act: () => self.participants.cancelMine({ tournamentId }) };
  },
  'participant.no_show': async () => {
    const { projectId, staff, tournamentId } = await entered({ checkInOpensAt: hours(-2), checkInClosesAt: hours(-1) });
    return { projectId, act: () => staff.participants.markNoShows({ tournamentId }) };
  },
  'participant.substituted': async () => {
    const { projectId, staff, tournamentId, mate, spare, participantId } = await enteredTeam();
    const change = { outUserId: mate.id, substituteUserId: spare.id, reason: 'Power cut' };
    return { projectId, act: () => staff.participants.substitute({ tournamentId, participantId, ...change }) };
  },
  'participant.updated': async () => {
    const { projectId, tournamentId, captain } = await enteredTeam();
    return {
      projectId,
      act: () => as(captain.bearer).participants.editMine({ tournamentId, teamName: 'Day Owls' }),
    };
  },
  'user.created': async () => {
    const { projectId, tournamentId } = await cup();
    const email = `${tournamentId}@players.test`;
    return {
      projectId,
      act: () => as().auth.register({ email, password: 'long-enough-password', name: 'Ada', tournamentId }),
    };
  },
  'user.verified': async () => {
    const { projectId } = await cup();
    const member = await makeMember(projectId, 'MEMBER');
    await db.user.update({ where: { id: member.id }, data: { emailVerifiedAt: null } });
    const token = await db.$transaction((tx) => mintEmailToken(tx, member.id, 'verify_email'));
    return { projectId, act: () => as().auth.verifyEmail({ token }) };
  },
  'webhook.test': async () => {
    const { projectId, owner } = await cup();
    const { id } = await makeSubscription(projectId, { url: 'http://127.0.0.1:9/hook' });
    return { projectId, act: () => as(owner.bearer).webhooks.subscriptions.test({ id }) };
  },
};

/** Types whose operation is not there yet; whoever builds it moves the type up. */
const awaited: Partial<Record<EventType, string>> = {
  'tournament.started': 'starting a tournament',
  'tournament.completed': 'the last result of a tournament',
  'participant.eliminated': 'a result that puts an entrant out',
  'match.created': 'drawing a bracket',
  'match.started': 'starting a match',
  'match.completed': 'confirming a result',
  'match.disputed': 'disputing a result',
  'match.rescheduled': 'giving a match another time',
  'match.forfeited': 'forfeiting a match',
  'match.result_corrected': 'correcting a result',
  'circuit.created': 'creating a circuit',
  'circuit.season.started': 'starting a season',
  'circuit.season.completed': 'completing a season',
  'payment.received': 'paying an entry fee',
  'payout.processed': 'paying a prize',
  'payout.failed': 'a prize that could not be paid',
  'broadcast.started': 'starting a broadcast',
  'broadcast.ended': 'ending a broadcast',
  'user.suspended': 'suspending a user',
  'anticheat.detection_raised': 'a rule that flags a report',
  'anticheat.session_completed': 'ending a session',
};

/** The types that subscribers are promised, as the API's specification spells them. */
const specified = `
  tournament.created tournament.published tournament.updated tournament.started tournament.completed tournament.cancelled
  registration.opened registration.closed registration.full
  participant.registered participant.approved participant.rejected participant.checked_in participant.eliminated participant.disqualified
  match.created match.started match.completed match.disputed match.rescheduled match.forfeited
  circuit.created circuit.season.started circuit.season.completed
  payment.received payout.processed payout.failed broadcast.started broadcast.ended
  user.created user.verified user.suspended anticheat.detection_raised anticheat.session_completed`
  .trim()
  .split(/\s+/);

test('the catalogue holds every specified type, each with words, a version, filters and an example that fits', () => {
  expect(specified).toHaveLength(34);
  expect(eventTypes).toEqual(expect.arrayContaining(specified));
  for (const type of eventTypes) {
    const { description, version, aggregateType, filters, payload, example } = eventCatalogue[type];
    expect(description).toMatch(/^[A-Z].{5,}\.$/s);
    expect(version).toBeGreaterThanOrEqual(1);
    expect(aggregateType).toMatch(/^[a-z_]+$/);
    expect(payload.parse(example)).toEqual(example);
    if (type !== 'webhook.test') expect(filters).toContain('aggregateType');
    const holds = (key: string) => Object.hasOwn(payload.shape, key);
    expect([type, (filters as readonly string[]).includes('tournamentId')]).toEqual([type, holds('tournamentId')]);
    expect([type, (filters as readonly string[]).includes('userId')]).toEqual([type, holds('userId')]);
  }
});

test('every type comes from an operation or waits for one', () => {
  expect([...Object.keys(operations), ...Object.keys(awaited)].sort()).toEqual([...eventTypes].sort());
});

test.each(Object.keys(operations) as EventType[])('%s is told of once', async (type) => {
  const stage = await operations[type]?.();
  if (!stage) throw new Error('no operation');
  const newest = await db.domainEvent.aggregate({ _max: { sequence: true } });
  await stage.act();
  const { projectId, beside = [] } = stage;
  const told = await db.domainEvent.findMany({ where: { projectId, sequence: { gt: newest._max.sequence ?? 0 } } });
  expect(told.map((event) => event.type).sort()).toEqual([type, ...beside].sort());
  for (const event of told) {
    const { payload, version, aggregateType } = eventCatalogue[event.type as EventType];
    expect(payload.parse(event.payload)).toEqual(event.payload);
    expect(event).toMatchObject({ version, aggregateType, metadata: { actor: { type: 'user' } } });
    expect(Object.values(event.payload as object)).toContain(event.aggregateId);
    expect(event.metadata).toMatchObject({ requestId: 'req_emission' });
  }
});
