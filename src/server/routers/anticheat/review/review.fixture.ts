import { newId } from '@/domain/ids';
import type { DetectionUncheckedCreateInput } from '@/generated/prisma/models';
import { db } from '@/server/db';
import { readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import { makeAntiCheatClient, makeMember } from '@/test/factories';
import type { TestServer } from '@/test/server';

type Given = Partial<DetectionUncheckedCreateInput> & { game?: 'cs2' | 'dota2' };

/** A started match of two with the staff of its project, and a maker of detections of its first player. */
export async function setupReview(server: TestServer) {
  const cup = await startCup(server, 2);
  const { project } = cup;
  const [match] = await readMatches(server, cup.tournamentId);
  const participantId = match?.slots[0]?.participantId ?? '';
  const bearer = await cup.bearerOf(participantId);
  const { user } = await db.participant.findUniqueOrThrow({
    where: { id: participantId },
    select: { user: { select: { id: true, name: true } } },
  });
  const player = { id: user?.id ?? '', name: user?.name ?? '', bearer };
  const member = await makeMember(project.id, 'MEMBER');
  const { id: clientId } = await makeAntiCheatClient(project.id, player.id);

  /** A detection of the player in a session of its own. @returns its id */
  async function detect({ game = 'cs2', ...given }: Given = {}) {
    const id = newId('det');
    const sessionId = given.sessionId ?? newId('acs');
    const matchId = given.matchId ?? newId('mat');
    const session = { id: sessionId, projectId: project.id, matchId, game, requestedUserIds: [player.id] };
    await db.antiCheatSession.createMany({ data: [session], skipDuplicates: true });
    await db.antiCheatSessionClient.createMany({ data: [{ sessionId, clientId }], skipDuplicates: true });
    const windowStart = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 60_000);
    await db.detection.create({
      data: {
        ...{ id, projectId: project.id, sessionId, matchId, userId: player.id, clientId },
        ...{ ruleId: `${game}.blocked_process`, rule: 'Blocked program', severity: 'critical', windowStart },
        ...{ explanation: 'Running beside the game: xenos64.exe.', figures: { programs: ['xenos64.exe'] } },
        ...given,
      },
    });
    return id;
  }

  const as = (who: { bearer: string }) => server.trpc(who.bearer).antiCheat.review;
  return {
    ...cup,
    match: { id: match?.id ?? '', number: match?.number ?? 0 },
    participantId,
    player,
    member,
    clientId,
    detect,
    as,
  };
}
