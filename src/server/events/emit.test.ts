import { expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import type { ProjectRole } from '@/generated/prisma/enums';
import { signAccessToken } from '@/server/auth/bearer';
import { db } from '@/server/db';
import { audit } from '@/server/events/emit';
import { readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import {
  emitEvents,
  makeApiKey,
  makeMember,
  makeProject,
  makeSubscription,
  makeTeam,
  makeTournament,
  makeUser,
} from '@/test/factories';
import { holdLock, someoneWaits } from '@/test/locks';
import { setupTestServer } from '@/test/server';
import { hostTournament, hoursFromNow } from '@/test/tournaments';

const api = setupTestServer();

type Target = { holds: string; id: string; method: string; path: string; body?: unknown };
const rowOf = (table: string) => `SELECT 1 FROM "${table}" WHERE "id" = $1 FOR UPDATE`;

async function targets(): Promise<{ projectId: string; cases: Record<string, [ProjectRole, Target]> }> {
  const cup = await startCup(api, 4);
  const { id: projectId } = cup.project;
  const [match] = await readMatches(api, cup.tournamentId);
  const matchPath = `/matches/${match?.id}`;
  const winnerId = match?.slots[0]?.participantId;
  const played = { holds: rowOf('tournament'), id: cup.tournamentId, method: 'POST' };
  const draft = await makeTournament(projectId, { status: 'DRAFT', publishedAt: null });
  const open = await makeTournament(projectId);
  const ofDraft = { holds: rowOf('tournament'), id: draft.id, path: `/tournaments/${draft.id}` };
  const { id: keyId } = await makeApiKey(projectId);
  const { id: webhookId } = await makeSubscription(projectId, { url: 'http://127.0.0.1:9/hook' });
  const ofWebhook = { holds: rowOf('webhook_subscription'), id: webhookId };
  const webhookPath = `/webhooks/subscriptions/${webhookId}`;
  const ofProject = { holds: rowOf('project'), id: projectId };
  const member = await makeMember(projectId, 'MEMBER');
  const created = { name: 'Winter Cup', game: 'cs2', maxParticipants: 16, startDate: hoursFromNow(48).toISOString() };
  const disqualified = `/tournaments/${cup.tournamentId}/participants/${cup.participantIds[3]}/disqualify`;
  return {
    projectId,
    cases: {
      'rules on a match': ['MODERATOR', { ...played, path: `${matchPath}/resolve`, body: { winnerId } }],
      'reports a result': ['MODERATOR', { ...played, path: `${matchPath}/report`, body: { winnerId } }],
      'starts a match': ['MODERATOR', { ...played, path: `${matchPath}/start` }],
      disqualifies: ['MODERATOR', { ...played, path: disqualified, body: { reason: 'Cheating' } }],
      'posts events': [
        'MODERATOR',
        { ...played, holds: rowOf('match'), id: match?.id ?? '', path: `${matchPath}/events`, body: { type: 'kill' } },
      ],
      'changes a tournament': ['ORGANIZER', { ...ofDraft, method: 'PATCH', body: { name: 'Spring Cup' } }],
      publishes: ['ORGANIZER', { ...ofDraft, method: 'POST', path: `${ofDraft.path}/publish` }],
      'deletes a draft': ['ORGANIZER', { ...ofDraft, method: 'DELETE' }],
      'adds guests': [
        'ORGANIZER',
        {
          ...ofDraft,
          id: open.id,
          method: 'POST',
          path: `/tournaments/${open.id}/participants`,
          body: { name: 'Ann' },
        },
      ],
      'creates a tournament': [
        'ORGANIZER',
        { ...ofProject, method: 'POST', path: `/projects/${projectId}/tournaments`, body: created },
      ],
      'changes the project': [
        'ADMIN',
        { ...ofProject, method: 'PATCH', path: `/projects/${projectId}`, body: { name: 'Renamed' } },
      ],
      'creates a key': [
        'ADMIN',
        {
          ...ofProject,
          method: 'POST',
          path: `/projects/${projectId}/developer/api-keys`,
          body: { name: 'Site', scopes: ['read:tournaments'] },
        },
      ],
      'revokes a key': [
        'ADMIN',
        {
          holds: rowOf('api_key'),
          id: keyId,
          method: 'DELETE',
          path: `/projects/${projectId}/developer/api-keys/${keyId}`,
        },
      ],
      'changes a role': [
        'ADMIN',
        { ...ofProject, method: 'PATCH', path: `/projects/${projectId}/members/${member.id}`, body: { role: 'ADMIN' } },
      ],
      'pauses a webhook': ['ADMIN', { ...ofWebhook, method: 'POST', path: `${webhookPath}/pause` }],
      'changes a webhook': [
        'ADMIN',
        { ...ofWebhook, method: 'PATCH', path: webhookPath, body: { description: 'Mine' } },
      ],
      'deletes a webhook': ['ADMIN', { ...ofWebhook, method: 'DELETE', path: webhookPath }],
    },
  };
}

test('a member who is removed or demoted while their change waits changes nothing', async () => {
  const { projectId, cases } = await targets();
  for (const [name, [role, { holds, id, method, path, body }]] of Object.entries(cases)) {
    for (const becomes of ['MEMBER', null] as const) {
      const { id: userId, bearer } = await makeMember(projectId, role);
      const release = await holdLock(holds, [id]);
      const waiting = api.call(method, path, { bearer, body });
      const early = waiting.then(({ text }) => Promise.reject(new Error(`${name} waited for nothing: ${text}`)));
      await Promise.race([someoneWaits(), early]);
      early.catch(() => undefined);
      const where = { projectId_userId: { projectId, userId } };
      if (becomes) await db.member.update({ where, data: { role: becomes } });
      else await db.member.delete({ where });
      await release();
      const { status } = await waiting;
      expect([403, 404], `${name}, then ${becomes ?? 'removed'}`).toContain(status);
      expect(await db.auditEntry.count({ where: { projectId, actorId: userId } }), name).toBe(0);
      expect(
        await db.domainEvent.count({ where: { projectId, metadata: { path: ['actor', 'id'], equals: userId } } }),
        name,
      ).toBe(0);
    }
  }
  // Nothing else kept them out: with the same rows and the role, each of these goes through.
  for (const [name, [role, { method, path, body }]] of Object.entries(cases)) {
    if (name.startsWith('deletes') || name === 'disqualifies') continue;
    const { bearer } = await makeMember(projectId, role);
    const answer = await api.call(method, path, { bearer, body });
    expect([200, 201, 409], `${name}: ${answer.text}`).toContain(answer.status);
  }
});

/** Changes that players make for themselves, each with the row that it waits for. */
async function ownTargets(): Promise<Record<string, Target & { userId: string }>> {
  const cup = await hostTournament(api, { checkInOpensAt: hoursFromNow(-1) });
  const registered = async () => {
    const player = await makeUser();
    expect((await cup.register(player.bearer)).status).toBe(201);
    return { holds: rowOf('tournament'), id: cup.id, userId: player.id };
  };
  const captain = await makeUser();
  const { id: teamId } = await makeTeam(captain, [await makeUser()]);
  const ofTeam = { holds: rowOf('team'), id: teamId, userId: captain.id };
  const own = `${cup.path}/registrations/me`;
  const named = await makeUser();
  const unanswered = { userId: named.id, acceptedAt: null, registrationStatus: 'approved' } as const;
  await db.participant.create({ data: { id: newId('prt'), tournamentId: cup.id, name: 'Named', ...unanswered } });
  const ofNamed = { holds: rowOf('tournament'), id: cup.id, userId: named.id };
  return {
    'accepts a registration': { ...ofNamed, method: 'POST', path: `${own}/accept` },
    'cancels a registration': { ...(await registered()), method: 'POST', path: `${own}/cancel` },
    'checks in': { ...(await registered()), method: 'POST', path: `${cup.path}/participants/checkin/me` },
    'renames a team': { ...ofTeam, method: 'PATCH', path: `/teams/${teamId}`, body: { name: 'Night Owls' } },
    'invites to a team': { ...ofTeam, method: 'POST', path: `/teams/${teamId}/members`, body: {} },
    'disbands a team': { ...ofTeam, method: 'DELETE', path: `/teams/${teamId}` },
  };
}

test('whose sessions have all ended while their change waited changes nothing', async () => {
  const { projectId, cases } = await targets();
  const all = Object.entries<Target & { userId?: string; role?: ProjectRole }>({
    ...Object.fromEntries(Object.entries(cases).map(([name, [role, target]]) => [name, { ...target, role }])),
    ...(await ownTargets()),
  });
  for (const [name, { holds, id, method, path, body, role, ...target }] of all) {
    const { userId = '' } = role ? { userId: (await makeMember(projectId, role)).id } : target;
    const signIn = async () => {
      const user = await db.user.findUniqueOrThrow({ where: { id: userId } });
      return `Bearer ${await signAccessToken(user)}`;
    };
    const written = async () => [
      await db.auditEntry.count({ where: { actorId: userId } }),
      await db.domainEvent.count({ where: { metadata: { path: ['actor', 'id'], equals: userId } } }),
    ];
    const before = await written();
    const release = await holdLock(holds, [id]);
    const waiting = api.call(method, path, { bearer: await signIn(), body });
    const early = waiting.then(({ text }) => Promise.reject(new Error(`${name} waited for nothing: ${text}`)));
    await Promise.race([someoneWaits(), early]);
    early.catch(() => undefined);
    await db.user.update({ where: { id: userId }, data: { sessionVersion: { increment: 1 } } });
    await release();
    expect(await waiting, name).toMatchObject({ status: 401, reason: 'UNAUTHENTICATED' });
    expect(await written(), name).toEqual(before);
    if (role) continue;
    // Nothing else kept them out.
    const answer = await api.call(method, path, { bearer: await signIn(), body });
    expect([200, 201], `${name}: ${answer.text}`).toContain(answer.status);
  }
});

test('removing a member waits for a change that they are just making', async () => {
  const { project, owner } = await hostTournament(api);
  const admin = await makeMember(project.id, 'ADMIN');
  const right = { projectId: project.id, userId: admin.id, permission: 'project:write' } as const;
  const by = { actor: { type: 'user', id: admin.id }, requestId: null, right } as const;
  const entry = {
    projectId: project.id,
    action: 'project.update',
    targetType: 'project',
    targetId: project.id,
  } as const;
  const order: string[] = [];
  const removal = await db.$transaction(async (tx) => {
    await audit(tx, by, entry);
    const removing = api
      .delete(`/projects/${project.id}/members/${admin.id}`, { bearer: owner.bearer })
      .finally(() => order.push('removed'));
    await someoneWaits();
    order.push('written');
    return { removing };
  });
  expect((await removal.removing).status).toBe(200);
  expect(order).toEqual(['written', 'removed']);
  await expect(db.$transaction((tx) => audit(tx, by, entry))).rejects.toMatchObject({ reason: 'FORBIDDEN' });
});

test('a moderator who plays in the match reports as a player, also when they are removed meanwhile', async () => {
  const cup = await startCup(api, 2);
  const [match] = await readMatches(api, cup.tournamentId);
  const participantId = match?.slots[0]?.participantId;
  const bearer = await cup.bearerOf(participantId);
  const { userId } = await db.participant.findUniqueOrThrow({ where: { id: participantId ?? '' } });
  await db.member.create({ data: { projectId: cup.project.id, userId: userId ?? '', role: 'MODERATOR' } });
  const release = await holdLock(rowOf('tournament'), [cup.tournamentId]);
  const waiting = api.post(`/matches/${match?.id}/report`, { bearer, body: { games: [{ scores: [16, 3] }] } });
  await someoneWaits();
  await db.member.deleteMany({ where: { projectId: cup.project.id, userId: userId ?? '' } });
  await release();
  expect((await waiting).status).toBe(200);
});

test('a request id that a stranger chose is in their response, and not in what a project reads', async () => {
  const { project, owner, path } = await hostTournament(api);
  const { id: projectId } = project;
  const act = async (headers?: Record<string, string>) => {
    const player = await makeUser();
    const answer = await api.post(`${path}/participants/register`, { bearer: player.bearer, headers });
    expect(answer.status).toBe(201);
    const where = { projectId, metadata: { path: ['actor', 'id'], equals: player.id } };
    const { metadata } = await db.domainEvent.findFirstOrThrow({ where });
    const { requestId } = metadata as { requestId: string | null };
    return { sent: answer.headers.get('x-request-id'), stored: requestId };
  };
  const text = 'Your-project-ends-today:https://evil.example';
  expect(await act({ 'X-Request-Id': text })).toEqual({ sent: text, stored: null });
  const { sent, stored } = await act();
  expect(stored).toBe(sent);
  const headers = { 'X-Request-Id': 'trace:42' };
  const body = { name: 'Renamed' };
  expect((await api.patch(`/projects/${projectId}`, { bearer: owner.bearer, headers, body })).status).toBe(200);
  const [latest] = await db.auditEntry.findMany({ where: { projectId }, orderBy: { createdAt: 'desc' }, take: 1 });
  expect(latest).toMatchObject({ actorId: owner.id, requestId: 'trace:42' });
});

test('Events are deleted with their project', async () => {
  const { project } = await makeProject();
  const { project: other } = await makeProject();
  await emitEvents(project.id, 2);
  await emitEvents(other.id, 1);
  await db.project.delete({ where: { id: project.id } });
  expect(await db.domainEvent.count({ where: { projectId: project.id } })).toBe(0);
  expect(await db.domainEvent.count({ where: { projectId: other.id } })).toBe(1);
});
