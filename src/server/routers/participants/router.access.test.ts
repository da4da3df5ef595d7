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

type State = { registrationStatus?: 'pending' | 'waitlisted'; status?: 'disqualified' };

/** A team tournament with one participant: the captain's team, with the teammate on its roster. */
async function makeParticipant(state: State, data: Partial<TournamentUncheckedCreateInput> = {}) {
  const counted = !state.registrationStatus && !state.status ? 1 : 0;
  const cup = await makeTournament(projectId, {
    ...{ teamSize: 2, rosterMin: 1, rosterMax: 3, checkInOpensAt: new Date(Date.now() - 3_600_000) },
    ...{ currentParticipants: counted, ...data },
  });
  const { captain, teammate } = credentials;
  const participant = await db.participant.create({
    data: {
      ...{ id: newId('prt'), tournamentId: cup.id, userId: captain.id, name: 'Night Owls', type: 'team' },
      ...{ registrationStatus: 'approved', ...state },
      waitlistOrder: state.registrationStatus === 'waitlisted' ? 1 : null,
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
const participants: Statuses = { ...everyone(404), ...noBearer, captain: 200, teammate: 200 };
const captains: Statuses = { ...participants, teammate: 403 };

type Body = (caller: Credential) => unknown;
type Endpoint = [name: string, method: string, path: string, expected: Statuses, more?: { state?: State; body?: Body }];
const team: Body = ({ id }) => ({ teamName: 'Foxes', teamMembers: [{ userId: id, role: 'captain' }] });
const reason: Body = () => ({ reason: 'Unfair' });

/** The participant endpoints, each in a state in which it succeeds for permitted callers. `:id` is the participant's. */
const endpoints: Endpoint[] = [
  [
    'register',
    'POST',
    'participants/register',
    // The teammate has not accepted the roster.
    { ...everyone(201), ...noBearer, captain: 409 },
    { body: team },
  ],
  ['list', 'GET', 'participants', everyone(200)],
  ['form', 'GET', 'registration/form', everyone(200)],
  ['read mine', 'GET', 'registrations/me', participants],
  ['cancel mine', 'POST', 'registrations/me/cancel', captains],
  ['edit mine', 'PATCH', 'registrations/me', captains, { body: () => ({ teamName: 'Day Owls' }) }],
  ['check in mine', 'POST', 'participants/checkin/me', participants],
  ['check in', 'POST', 'participants/:id/checkin', organizers],
  ['approve', 'PATCH', 'registrations/:id/approve', organizers, { state: { registrationStatus: 'pending' } }],
  ['reject', 'PATCH', 'registrations/:id/reject', organizers, { state: { registrationStatus: 'pending' } }],
  ['waitlist', 'PATCH', 'registrations/:id/waitlist', organizers],
  ['promote', 'PATCH', 'registrations/:id/promote', organizers, { state: { registrationStatus: 'waitlisted' } }],
  ['remove', 'DELETE', 'participants/:id', moderators],
  ['disqualify', 'POST', 'participants/:id/disqualify', moderators, { body: reason }],
  ['reinstate', 'POST', 'participants/:id/reinstate', moderators, { state: { status: 'disqualified' } }],
  ['substitute', 'POST', 'participants/:id/substitute', moderators, { body: substitution }],
  [
    'add a guest',
    'POST',
    'participants',
    { ...organizers, ORGANIZER: 201, ADMIN: 201, OWNER: 201 },
    { body: () => ({ name: 'Foxes' }) },
  ],
  ['edit a guest', 'PATCH', 'participants/:id', organizers, { body: () => ({ roster: [{ name: 'Bo' }] }) }],
];

function substitution() {
  return { substituteUserId: credentials.stranger.id, reason: 'Ill' };
}

async function request(
  [, method, path, , more]: Endpoint,
  caller: Caller,
  data?: Partial<TournamentUncheckedCreateInput>,
) {
  const { cup, participant } = await makeParticipant(more?.state ?? {}, data);
  const { id, ...credential } = credentials[caller];
  const response = await api.call(method, `/tournaments/${cup.id}/${path.replace(':id', participant.id)}`, {
    ...credential,
    body: more?.body?.({ id }),
  });
  const events = await db.domainEvent.count({ where: { payload: { path: ['tournamentId'], equals: cup.id } } });
  const after = await db.participant.findUnique({ where: { id: participant.id }, select: { version: true } });
  return { response, events, unchanged: after?.version === participant.version };
}

describe.each(endpoints)('%s', (...endpoint) => {
  const [, method, , expected] = endpoint;

  test.each(callers)('by %s', async (caller) => {
    const { response, events, unchanged } = await request(endpoint, caller);
    expect(response.status).toBe(expected[caller]);
    if (response.status >= 400) {
      expect(response.body).toMatchObject({ success: false, data: null, error: { requestId: expect.any(String) } });
    }
    const changed = method !== 'GET' && response.status < 300;
    expect(events > 0).toBe(changed);
    if (!changed) expect(unchanged).toBe(true);
  });

  test('returns 404 for a private tournament to callers outside the project who do not play in it', async () => {
    const known: Caller[] = ['MEMBER', 'MODERATOR', 'ORGANIZER', 'ADMIN', 'OWNER', 'captain', 'teammate'];
    const outsiders = callers.filter((caller) => [200, 201, 403, 404, 409].includes(expected[caller]));
    for (const caller of outsiders.filter((one) => !known.includes(one))) {
      const { response, events } = await request(endpoint, caller, { visibility: 'private' });
      expect([caller, response.status, response.reason]).toEqual([caller, 404, 'NOT_FOUND']);
      expect(events).toBe(0);
    }
  });

  test.each(['captain', 'teammate'] as const)('by a %s, is the same in a private tournament', async (caller) => {
    const { response } = await request(endpoint, caller, { visibility: 'private' });
    // Only staff register players for a private tournament.
    expect(response.status).toBe(endpoint[0] === 'register' ? 404 : expected[caller]);
  });
});

describe('the procedures of the desk', () => {
  const procedures = ['desk', 'read', 'history', 'counts', 'bulk', 'bulk of moderators', 'markNoShows'] as const;
  type Procedure = (typeof procedures)[number];
  const staffOnly = (procedure: Procedure): Statuses =>
    procedure === 'markNoShows' || procedure === 'bulk' ? organizers : moderators;

  async function call(procedure: Procedure, caller: Caller): Promise<number> {
    const { cup, participant } = await makeParticipant({}, { checkInClosesAt: new Date(Date.now() - 1_000) });
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
