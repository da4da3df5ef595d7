import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import type { TournamentUncheckedCreateInput } from '@/generated/prisma/models';
import { db } from '@/server/db';
import { makeApiKey, makeMember, makeProject, makeTournament, makeUser } from '@/test/factories';
import { type CallOptions, setupTestServer } from '@/test/server';

const callers = [
  'anonymous',
  'API key',
  'stranger',
  'captain',
  'teammate',
  'MEMBER',
  'MODERATOR',
  'ORGANIZER',
  'ADMIN',
  'OWNER',
  "other project's OWNER",
] as const;
type Caller = (typeof callers)[number];
type Credential = CallOptions & { id: string };

const api = setupTestServer();
let projectId: string;
let credentials: Record<Caller, Credential>;
beforeAll(async () => {
  const { project, owner } = await makeProject();
  const other = await makeProject();
  const { key } = await makeApiKey(project.id);
  const member = (role: 'MEMBER' | 'MODERATOR' | 'ORGANIZER' | 'ADMIN') => makeMember(project.id, role);
  projectId = project.id;
  const people = {
    stranger: await makeUser(),
    captain: await makeUser(),
    teammate: await makeUser(),
    MEMBER: await member('MEMBER'),
    MODERATOR: await member('MODERATOR'),
    ORGANIZER: await member('ORGANIZER'),
    ADMIN: await member('ADMIN'),
    OWNER: owner,
    "other project's OWNER": other.owner,
  };
  credentials = { anonymous: { id: '' }, 'API key': { id: '', apiKey: key }, ...people };
});

type Standing = { registrationStatus?: 'pending' | 'waitlisted'; status?: 'disqualified' };

/** A tournament for teams with one entrant: the captain's, with the teammate on its roster. */
async function makeEntrant(standing: Standing, data: Partial<TournamentUncheckedCreateInput> = {}) {
  const counted = !standing.registrationStatus && !standing.status ? 1 : 0;
  const cup = await makeTournament(projectId, {
    ...{ teamSize: 2, rosterMin: 1, rosterMax: 3, checkInOpensAt: new Date(Date.now() - 3_600_000) },
    ...{ currentParticipants: counted, ...data },
  });
  const { captain, teammate } = credentials;
  const participant = await db.participant.create({
    data: {
      ...{ id: newId('prt'), tournamentId: cup.id, userId: captain.id, name: 'Night Owls', type: 'team' },
      ...{ registrationStatus: 'approved', ...standing },
      waitlistOrder: standing.registrationStatus === 'waitlisted' ? 1 : null,
      roster: {
        create: [
          { userId: captain.id, role: 'captain', tournamentId: cup.id },
          { userId: teammate.id, role: 'player', tournamentId: cup.id },
        ],
      },
    },
  });
  return { cup, participant };
}

type Statuses = Record<Caller, number>;
const everyone = (status: number) => Object.fromEntries(callers.map((caller) => [caller, status])) as Statuses;
const noBearer = { anonymous: 401, 'API key': 401 };
const organizers: Statuses = { ...everyone(403), ...noBearer, ORGANIZER: 200, ADMIN: 200, OWNER: 200 };
const moderators: Statuses = { ...organizers, MODERATOR: 200 };
const entrants: Statuses = { ...everyone(404), ...noBearer, captain: 200, teammate: 200 };
const captains: Statuses = { ...entrants, teammate: 403 };

type Body = (caller: Credential) => unknown;
type Endpoint = [
  name: string,
  method: string,
  path: string,
  expected: Statuses,
  more?: { standing?: Standing; body?: Body },
];
const team: Body = ({ id }) => ({ teamName: 'Foxes', teamMembers: [{ userId: id, role: 'captain' }] });
const reason: Body = () => ({ reason: 'Unfair' });

/** The specification's sixteen endpoints, each in a state in which it succeeds for who may call it. `:id` is the entrant's. */
const endpoints: Endpoint[] = [
  [
    'register',
    'POST',
    'participants/register',
    { ...everyone(201), ...noBearer, captain: 409, teammate: 409 },
    { body: team },
  ],
  ['list', 'GET', 'participants', everyone(200)],
  ['form', 'GET', 'registration/form', everyone(200)],
  ['read mine', 'GET', 'registrations/me', entrants],
  ['cancel mine', 'POST', 'registrations/me/cancel', captains],
  ['edit mine', 'PATCH', 'registrations/me', captains, { body: () => ({ teamName: 'Day Owls' }) }],
  ['check in mine', 'POST', 'participants/checkin/me', entrants],
  ['check in', 'POST', 'participants/:id/checkin', organizers],
  ['approve', 'PATCH', 'registrations/:id/approve', organizers, { standing: { registrationStatus: 'pending' } }],
  ['reject', 'PATCH', 'registrations/:id/reject', organizers, { standing: { registrationStatus: 'pending' } }],
  ['waitlist', 'PATCH', 'registrations/:id/waitlist', organizers],
  ['promote', 'PATCH', 'registrations/:id/promote', organizers, { standing: { registrationStatus: 'waitlisted' } }],
  ['remove', 'DELETE', 'participants/:id', moderators],
  ['disqualify', 'POST', 'participants/:id/disqualify', moderators, { body: reason }],
  ['reinstate', 'POST', 'participants/:id/reinstate', moderators, { standing: { status: 'disqualified' } }],
  ['substitute', 'POST', 'participants/:id/substitute', moderators, { body: substitution }],
];

function substitution() {
  return { substituteUserId: credentials.stranger.id, reason: 'Ill' };
}

async function ask([, method, path, , more]: Endpoint, caller: Caller, data?: Partial<TournamentUncheckedCreateInput>) {
  const { cup, participant } = await makeEntrant(more?.standing ?? {}, data);
  const { id, ...credential } = credentials[caller];
  const answer = await api.call(method, `/tournaments/${cup.id}/${path.replace(':id', participant.id)}`, {
    ...credential,
    body: more?.body?.({ id }),
  });
  const told = await db.domainEvent.count({ where: { payload: { path: ['tournamentId'], equals: cup.id } } });
  const after = await db.participant.findUnique({ where: { id: participant.id }, select: { version: true } });
  return { answer, told, unchanged: after?.version === participant.version };
}

describe.each(endpoints)('%s', (...endpoint) => {
  const [, method, , expected] = endpoint;

  test.each(callers)('by %s', async (caller) => {
    const { answer, told, unchanged } = await ask(endpoint, caller);
    expect(answer.status).toBe(expected[caller]);
    if (answer.status >= 400) {
      expect(answer.body).toMatchObject({ success: false, data: null, error: { requestId: expect.any(String) } });
    }
    const acted = method !== 'GET' && answer.status < 300;
    expect(told > 0).toBe(acted);
    if (!acted) expect(unchanged).toBe(true);
  });

  test('of a private tournament is not found by whoever is outside the project', async () => {
    const outsiders = callers.filter((caller) => [200, 201, 403, 404, 409].includes(expected[caller]));
    for (const caller of outsiders.filter(
      (one) => !['MEMBER', 'MODERATOR', 'ORGANIZER', 'ADMIN', 'OWNER'].includes(one),
    )) {
      const { answer, told } = await ask(endpoint, caller, { visibility: 'private' });
      expect([caller, answer.status, answer.reason]).toEqual([caller, 404, 'NOT_FOUND']);
      expect(told).toBe(0);
    }
  });
});

describe('the procedures of the desk', () => {
  const procedures = ['desk', 'read', 'history', 'counts', 'bulk', 'bulk of moderators', 'markNoShows'] as const;
  type Procedure = (typeof procedures)[number];
  const staffOnly = (procedure: Procedure): Statuses =>
    procedure === 'markNoShows' || procedure === 'bulk' ? organizers : moderators;

  async function call(procedure: Procedure, caller: Caller): Promise<number> {
    const { cup, participant } = await makeEntrant({}, { checkInClosesAt: new Date(Date.now() - 1_000) });
    const desk = api.trpc(credentials[caller].bearer).participants;
    const tournamentId = cup.id;
    const participantIds = [participant.id];
    const calls: Record<Procedure, () => Promise<unknown>> = {
      desk: () => desk.desk.query({ tournamentId }),
      read: () => desk.read.query({ tournamentId, participantId: participant.id }),
      history: () => desk.history.query({ tournamentId, participantId: participant.id }),
      counts: () => desk.counts.query({ tournamentId }),
      bulk: () => desk.bulk.mutate({ tournamentId, action: 'check_in', participantIds }),
      'bulk of moderators': () => desk.bulk.mutate({ tournamentId, action: 'remove', participantIds }),
      markNoShows: () => desk.markNoShows.mutate({ tournamentId }),
    };
    return calls[procedure]().then(
      () => 200,
      (error: { data: { httpStatus: number } }) => error.data.httpStatus,
    );
  }

  const withTrpc = callers.filter((caller) => caller !== 'API key');
  test.each(procedures.flatMap((procedure) => withTrpc.map((caller) => [procedure, caller] as const)))(
    '%s by %s',
    async (procedure, caller) => {
      expect(await call(procedure, caller)).toBe(staffOnly(procedure)[caller]);
    },
  );
});
