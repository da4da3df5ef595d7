import { newId } from '@/domain/ids';
import { db } from '@/server/db';
import { bodyExamples } from '@/server/http/openapi/examples';
import type { Route } from '@/server/http/rest/routes';
import { setupReview } from '@/server/routers/anticheat/review/review.fixture';
import { makeDeliveries } from '@/test/deliveries';
import { emitEvents, makeMember, makeSubscription, makeTeam, makeTournament, makeUser } from '@/test/factories';
import type { ApiResponse, CallOptions, TestServer } from '@/test/server';

/** A project with one of everything that a path can name; its tournaments are private. */
export type World = Awaited<ReturnType<typeof makeWorld>>;

export async function makeWorld(api: TestServer) {
  const review = await setupReview(api);
  const { project, owner, tournamentId, match, participantId, player } = review;
  const projectId = project.id;
  await db.tournament.update({ where: { id: tournamentId }, data: { visibility: 'private' } });
  const { id: stageId } = await db.stage.findFirstOrThrow({ where: { tournamentId }, select: { id: true } });
  const stationId = newId('sta');
  await db.station.create({ data: { id: stationId, tournamentId, name: 'Station 1', position: 1 } });
  const detectionId = await review.detect({ matchId: match.id });
  const { sessionId } = await db.detection.findUniqueOrThrow({ where: { id: detectionId } });

  const captain = await makeUser();
  const team = await makeTeam(captain);
  const teams = await makeTournament(projectId, { teamSize: 2, rosterMin: 1, visibility: 'private' });
  const entered = { id: newId('prt'), tournamentId: teams.id, type: 'team', name: team.name, teamId: team.id } as const;
  const registered = { userId: captain.id, registrationStatus: 'approved', acceptedAt: new Date() } as const;
  await db.participant.create({ data: { ...entered, ...registered } });

  const { id: subscriptionId } = await makeSubscription(projectId, { url: 'http://127.0.0.1:9/hook' });
  const [eventId = ''] = await emitEvents(projectId, 1);
  const [deliveryId = ''] = await makeDeliveries({ id: subscriptionId, projectId }, [eventId], { status: 'failed' });
  const replayId = newId('whr');
  const done = { total: 1, done: 1, finishedAt: new Date(), createdById: owner.id };
  await db.webhookReplay.create({ data: { id: replayId, subscriptionId, projectId, filter: {}, ...done } });

  const bearer = owner.bearer;
  const key = await api.post<{ id: string }>(`/projects/${projectId}/developer/api-keys`, {
    bearer,
    body: { name: 'Board', scopes: ['read:matches'] },
  });
  const invited = await api.post<{ id: string }>(`/projects/${projectId}/members`, {
    bearer,
    body: { email: `${newId('usr')}@players.test`, role: 'MEMBER' },
  });
  const colleague = await makeMember(projectId, 'MEMBER');

  return {
    ...{ projectId, owner, player, team, detectionId, subscriptionId },
    organizer: review.organizer,
    moderator: review.moderator,
    member: review.member,
    admin: await makeMember(projectId, 'ADMIN'),
    ids: {
      ...{ projectId, tournamentId, matchId: match.id, participantId, stageId, stationId, sessionId, deliveryId },
      ...{ replayId, keyId: key.body.id, invitationId: invited.body.id, userId: colleague.id, teamId: team.id },
      ...{ clientId: review.clientId, group: '1', game: 'cs2', mediaFileId: newId('med'), tokenId: newId('pat') },
    } as Record<string, string>,
  };
}

/** What `{id}` stands for depends on the route. */
function idOf({ pattern }: Route, { ids, subscriptionId, player }: World): string {
  if (pattern.startsWith('/webhooks')) return subscriptionId;
  if (pattern.startsWith('/data/players')) return player.id;
  const [, kind] = /^\/data\/(tournament|match|team)/.exec(pattern) ?? [];
  return ids[`${kind}Id`] ?? '';
}

/** Calls a route about a world, with the body of the reference. `given` overrides what the path names. */
export function callAbout<T = Record<string, unknown>>(
  api: TestServer,
  route: Route,
  world: World,
  options: CallOptions & { given?: Record<string, string> } = {},
): Promise<ApiResponse<T>> {
  const { given = {}, ...call } = options;
  const values: Record<string, string> = { ...world.ids, id: idOf(route, world), ...given };
  const path = route.pattern.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? name);
  const query = route.pattern.endsWith('/stats') ? '?gameId=cs2' : '';
  const body = route.takesBody ? bodyExamples[route.procedure.replaceAll('.', '-')] : undefined;
  return api.call<T>(route.method, path + query, { body, ...call });
}

/** What a caller without access must leave as it is: every row of the project that a change would add to or raise. */
export async function traceOf({ projectId, ids }: World) {
  const where = { projectId };
  return {
    audits: await db.auditEntry.count({ where }),
    events: await db.domainEvent.count({ where }),
    project: (await db.project.findUniqueOrThrow({ where: { id: projectId } })).version,
    tournament: (await db.tournament.findUniqueOrThrow({ where: { id: ids.tournamentId } })).updatedAt,
    match: await db.match.findUniqueOrThrow({ where: { id: ids.matchId } }),
    stations: await db.station.findMany({ where: { tournamentId: ids.tournamentId } }),
    participants: await db.participant.count({ where: { tournament: where } }),
    members: await db.member.count({ where }),
    keys: await db.apiKey.count({ where: { ...where, revokedAt: null } }),
    sessions: await db.antiCheatSession.findMany({ where, select: { id: true, endedAt: true } }),
    files: await db.mediaFile.count({ where }),
    webhooks: await db.webhookSubscription.findMany({ where, select: { id: true, updatedAt: true } }),
    deliveries: await db.webhookDelivery.findMany({ where, select: { id: true, status: true } }),
  };
}
