import { beforeAll, expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { db } from '@/server/db';
import { makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { makeWorld, traceOf, type World } from './access.fixture';

const api = setupTestServer();
let theirs: World;
let own: World;
let files: Record<'screenshot' | 'banner' | 'evidence', string>;

/** A file of the other project, as it is once it was uploaded. */
async function makeFile(kind: 'match_screenshot' | 'tournament_banner' | 'evidence', subjectId: string) {
  const id = newId('med');
  const bytes = { contentType: 'image/png', sizeBytes: 10, sha256: '9f'.repeat(32) };
  const { projectId, owner } = theirs;
  const row = { id, projectId, kind, subjectId, key: id, status: 'ready', createdById: owner.id, ...bytes } as const;
  await db.mediaFile.create({ data: row });
  return id;
}

beforeAll(async () => {
  [theirs, own] = [await makeWorld(api), await makeWorld(api)];
  files = {
    screenshot: await makeFile('match_screenshot', theirs.ids.matchId ?? ''),
    banner: await makeFile('tournament_banner', theirs.ids.tournamentId ?? ''),
    evidence: await makeFile('evidence', theirs.ids.sessionId ?? ''),
  };
});

type Call = [method: string, path: string, body: object];
const at = (kind: string) => own.ids[`${kind}Id`] ?? '';
const other = (kind: string) => theirs.ids[`${kind}Id`] ?? '';
const trpc = (procedure: string, json: object): Call => ['POST', `/api/trpc/${procedure}`, { json }];
const read = (procedure: string, json: object): Call => [
  'GET',
  `/api/trpc/${procedure}?input=${encodeURIComponent(JSON.stringify({ json }))}`,
  {},
];
const tournament = (rest: string) => `/tournaments/${at('tournament')}${rest}`;
const match = (rest: string) => `/matches/${at('match')}${rest}`;

/** What the owner of one project sends to it, with ids of another in the body. */
const calls: Record<string, () => Call> = {
  'a forfeit': () => ['POST', match('/forfeit'), { participantIds: [other('participant')] }],
  'a ruling that names the winner': () => ['POST', match('/resolve'), { winnerId: other('participant') }],
  'a station for a match': () => ['POST', match('/station'), { stationId: other('station') }],
  'a stream queue': () => ['PUT', tournament('/stream-queue'), { matchIds: [other('match')] }],
  'the seeding of a tournament': () => ['PUT', tournament('/seeding'), { order: [other('participant')] }],
  'the seeding of a stage': () => [
    'PUT',
    tournament(`/stages/${at('stage')}/seeding`),
    { order: [other('participant')] },
  ],
  'the ruling of a tie': () => [
    'PUT',
    tournament(`/stages/${at('stage')}/groups/1/ruling`),
    { order: [other('participant'), at('participant')], reason: 'Coin toss.' },
  ],
  'a dispute with a screenshot': () => [
    'POST',
    match('/dispute'),
    { reason: 'Look at this.', mediaFileIds: [files.screenshot] },
  ],
  'a message with a screenshot': () => [
    'POST',
    match('/messages'),
    { text: 'Look at this.', mediaFileIds: [files.screenshot] },
  ],
  'a screenshot to look at': () => ['GET', match(`/media/${files.screenshot}`), {}],
  'the events of a match, for a participant': () => [
    'POST',
    match('/events'),
    { type: 'kill', participantId: other('participant') },
  ],
  'a banner': () => trpc('tournaments.banner.attach', { tournamentId: at('tournament'), mediaFileId: files.banner }),
  'a session of staff': () => [
    'POST',
    `/projects/${own.projectId}/anti-cheat/sessions`,
    { game: 'cs2', matchId: other('match') },
  ],
  'a review': () =>
    trpc('antiCheat.review.decide', {
      ...{ projectId: own.projectId, detectionId: theirs.detectionId },
      ...{ verdict: 'dismissed', note: 'Not ours.', version: 0 },
    }),
  'a detection': () =>
    read('antiCheat.review.detection', { projectId: own.projectId, detectionId: theirs.detectionId }),
  'the reports behind a detection': () =>
    read('antiCheat.review.reports', { projectId: own.projectId, detectionId: theirs.detectionId }),
  'the evidence of a detection': () =>
    read('antiCheat.review.evidence', { projectId: own.projectId, detectionId: theirs.detectionId }),
  'a file of evidence': () =>
    trpc('antiCheat.review.viewEvidence', {
      ...{ projectId: own.projectId, detectionId: own.detectionId, mediaFileId: files.evidence },
    }),
  'the history of a participant': () =>
    read('participants.history', { tournamentId: at('tournament'), participantId: other('participant') }),
  'a participant': () =>
    read('participants.read', { tournamentId: at('tournament'), participantId: other('participant') }),
  'a substitution': () => [
    'POST',
    tournament(`/participants/${other('participant')}/substitute`),
    { substituteUserId: own.player.id, replacedUserId: theirs.player.id, reason: 'Hurt wrist.' },
  ],
  'what a member made': () => read('projects.members.made', { projectId: own.projectId, userId: other('user') }),
};

test.each(Object.entries(calls))('%s finds nothing of another project', async (_, make) => {
  const [method, path, body] = make();
  const before = await traceOf(theirs);
  const sent = method === 'GET' ? {} : { body };
  const answer = await api.call(method, path, { bearer: own.owner.bearer, ...sent });
  const made = path.includes('members.made');
  if (made) expect(answer.text).toContain('"apiKeys":[]');
  else expect([400, 403, 404, 409], `${answer.status} ${answer.text}`).toContain(answer.status);
  for (const name of [theirs.projectId, theirs.ids.tournamentId ?? '', theirs.ids.sessionId ?? '']) {
    expect(answer.text).not.toContain(name);
  }
  expect(await traceOf(theirs)).toEqual(before);
});

test.each(['bulk', 'markNoShows'])('participants.%s leaves those of another project out', async (procedure) => {
  const before = await traceOf(theirs);
  const json = {
    ...{ tournamentId: at('tournament'), participantIds: [other('participant')] },
    ...{ action: 'disqualify', reason: 'Not ours.' },
  };
  const answer = await api.post<{ result?: { data: { json: { done: string[] } } } }>(
    `/api/trpc/participants.${procedure}`,
    { bearer: own.owner.bearer, body: { json } },
  );
  expect(answer.body.result?.data.json.done ?? []).toEqual([]);
  expect(await traceOf(theirs)).toEqual(before);
});

test('the team, the clients and the tokens of somebody else are theirs', async () => {
  const { bearer } = await makeUser();
  const teamPath = `/teams/${theirs.team.id}`;
  const token = await api.post<{ id: string }>('/me/access-tokens', {
    bearer: theirs.owner.bearer,
    body: { name: 'CI' },
  });
  const refused = [
    await api.patch(teamPath, { bearer, body: { name: 'Mine' } }),
    await api.delete(teamPath, { bearer }),
    await api.post(`${teamPath}/restore`, { bearer }),
    await api.get(`${teamPath}/invitations`, { bearer }),
    await api.post(`${teamPath}/members`, { bearer, body: { role: 'player' } }),
    await api.post(`/tournaments/${at('tournament')}/participants/register`, {
      bearer,
      body: { teamId: theirs.team.id },
    }),
    await api.delete(`/anti-cheat/clients/${other('client')}`, { bearer }),
    await api.post(`/anti-cheat/clients/${other('client')}/rotate`, { bearer }),
    await api.delete(`/me/access-tokens/${token.body.id}`, { bearer }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 404, 404, 404, 404]);
});

test('fields that nobody may set are ignored', async () => {
  const { bearer, id } = await makeUser();
  const extra = { id: newId('usr'), userId: newId('usr'), createdById: newId('usr'), sessionVersion: 99, version: 99 };
  await api.patch('/me', {
    bearer,
    body: { ...extra, name: 'Ada', email: 'admin@example.com', instanceAdmin: true, emailVerifiedAt: null },
  });
  expect(await db.user.findUniqueOrThrow({ where: { id } })).toMatchObject({
    ...{ name: 'Ada', instanceAdmin: false, sessionVersion: 0, emailVerifiedAt: expect.any(Date) },
  });
  const project = await api.post<{ id: string }>('/projects', {
    bearer,
    body: { ...extra, name: 'Mine', plan: 'enterprise', projectId: theirs.projectId, members: [] },
  });
  const { id: projectId } = project.body;
  expect(await db.project.findUniqueOrThrow({ where: { id: projectId } })).toMatchObject({
    ...{ plan: 'free', createdById: id, version: 1 },
  });
  const key = await api.post<{ id: string; key: string }>(`/projects/${projectId}/developer/api-keys`, {
    bearer,
    body: { ...extra, projectId: theirs.projectId, name: 'Mine', scopes: ['read:matches'], keyHash: 'x' },
  });
  expect(key.status).toBe(201);
  expect(await db.apiKey.findUniqueOrThrow({ where: { id: key.body.id } })).toMatchObject({
    projectId,
    createdById: id,
  });
});
