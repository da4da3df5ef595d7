import { knownAhead, learnClock, unknownClock } from '@/domain/anticheat/clock';
import type { AntiCheatGame } from '@/domain/anticheat/games';
import { reportLifetime } from '@/domain/anticheat/lifetimes';
import type { RuleChange } from '@/domain/anticheat/rule-settings';
import { findCheating, type RuleSetting, rules, rulesOf, windowMs } from '@/domain/anticheat/rules';
import { newId } from '@/domain/ids';
import type { Prisma } from '@/generated/prisma/client';
import { db, type Tx } from '@/server/db';
import { BatchTurns } from '@/server/delivery/queue/batches';
import { refuse } from '@/server/errors';
import { turnOfProject } from '@/server/events/project-turn';
import { sendAfterCommit } from '@/server/jobs/client';
import { antiCheatReplayRequested } from '@/server/jobs/events';
import { takeQuota } from '@/server/limits/take-quota';
import { readSettings } from '@/server/routers/anticheat/data-evaluation';
import { lockProject } from '@/server/routers/projects/data';
import { storedWindows } from './data-stored-reports';
import type { ReplayChange } from './schema';

/** Reports that one replay reads. */
export const maxReports = 500_000;
/** Differences that are kept to be shown; the tallies count all. */
const maxChanges = 500;
/** Milliseconds that one step works before it stores how far it is. */
const sliceMs = 2_000;
/** Seconds without progress after which a replay is given up: its run was lost. */
const givenUpSeconds = 120;

/** Windows are judged one at a time, in turns of those who created the projects; half of the time belongs to other work. */
const turns = new BatchTurns();

export type Tally = { raised: number; replayed: number; added: number; gone: number };
export type StoredChange = Omit<ReplayChange, 'userName' | 'beforeTakeover' | 'verdict'>;

/** The rules of a game that can be replayed. */
export function replayedRules(game: AntiCheatGame): { ruleId: string; name: string }[] {
  return rulesOf(game).flatMap((key) =>
    rules[key].replays ? [{ ruleId: `${game}.${key}`, name: rules[key].name }] : [],
  );
}

/**
 * Creates the replay of a project, in place of its last one.
 * @throws CONFLICT while another one runs; QUOTA_EXCEEDED, FORBIDDEN
 */
export async function createReplay(
  tx: Tx,
  replay: { projectId: string; userId: string; game: AntiCheatGame; settings: RuleChange[]; sessions: number },
): Promise<{ id: string; sessions: number }> {
  const { projectId, userId, game, settings } = replay;
  await lockProject(tx, projectId, userId, 'anticheat:write');
  const last = await tx.antiCheatReplay.findUnique({
    where: { projectId },
    select: { finishedAt: true, progressAt: true },
  });
  if (last && isRunning(last))
    throw refuse('CONFLICT', { message: 'A replay of this project is running. Wait until it is finished.' });
  await takeQuota(tx, 'antiCheatReplays', projectId);
  // Reports of older sessions are deleted already.
  const found = await tx.antiCheatSession.findMany({
    where: { projectId, game, startedAt: { gt: new Date(Date.now() - reportLifetime) } },
    orderBy: [{ startedAt: 'desc' }, { id: 'desc' }],
    take: replay.sessions,
    select: { id: true },
  });
  const sessionIds = found.map(({ id }) => id);
  await tx.antiCheatReplay.deleteMany({ where: { projectId } });
  const id = newId('acr');
  await tx.antiCheatReplay.create({
    data: { id, projectId, game, settings, sessionIds, createdById: userId },
    select: { id: true },
  });
  return { id, sessions: sessionIds.length };
}

/** Has a new replay run. Call it after the commit of what created it. */
export async function startReplay(replayId: string, by: { projectId: string; userId: string }): Promise<void> {
  const { owner: turn } = await turnOfProject(by.projectId);
  await sendAfterCommit(antiCheatReplayRequested.create({ replayId, turn, userId: by.userId }));
}

/** Whether a replay runs, and has not been given up. */
export function isRunning({ finishedAt, progressAt }: { finishedAt: Date | null; progressAt: Date }): boolean {
  return finishedAt === null && progressAt.getTime() > Date.now() - givenUpSeconds * 1000;
}

type Replay = NonNullable<Awaited<ReturnType<typeof readReplay>>>;
type Span = { id: string; matchId: string; from: number; until: number };
type Found = Pick<StoredChange, 'ruleId' | 'rule' | 'severity' | 'explanation'> & { windowStart: number };

function readReplay(replayId: string) {
  return db.antiCheatReplay.findUnique({ where: { id: replayId, finishedAt: null } });
}

/** The time of a session whose windows are closed. */
async function readSpan(sessionId: string): Promise<Span | null> {
  const session = await db.antiCheatSession.findUnique({
    where: { id: sessionId },
    select: { id: true, matchId: true, startedAt: true, endedAt: true, evaluatedUntil: true },
  });
  if (!session) return null;
  const { id, matchId, startedAt, endedAt, evaluatedUntil } = session;
  const evaluated = Math.round((evaluatedUntil.getTime() - startedAt.getTime()) / windowMs);
  const from = evaluatedUntil.getTime() - evaluated * windowMs;
  return { id, matchId, from, until: (endedAt ?? evaluatedUntil).getTime() };
}

/** The players of a session with their clients that were wired into it. */
async function readPlayers(sessionId: string): Promise<{ userId: string; clientIds: string[] }[]> {
  const rows = await db.antiCheatSessionClient.findMany({
    where: { sessionId },
    select: { clientId: true, client: { select: { userId: true } } },
    orderBy: { clientId: 'asc' },
  });
  const players = new Map<string, string[]>();
  for (const { clientId, client } of rows) {
    players.set(client.userId, [...(players.get(client.userId) ?? []), clientId]);
  }
  return [...players].sort(([a], [b]) => (a < b ? -1 : 1)).map(([userId, clientIds]) => ({ userId, clientIds }));
}

const keyOf = ({ ruleId, windowStart }: Pick<Found, 'ruleId' | 'windowStart'>) => `${ruleId} ${windowStart}`;

/** What the settings raise for a player of a session; null when it would read more than `budget` reports. */
async function replayPlayer(
  { game, projectId }: Pick<Replay, 'game' | 'projectId'>,
  span: Span,
  clientIds: readonly string[],
  settings: ReadonlyMap<string, RuleSetting>,
  budget: number,
): Promise<{ found: Map<string, Found>; reportsRead: number } | null> {
  const turn = await turnOfProject(projectId);
  const found = new Map<string, Found>();
  let reportsRead = 0;
  for (const clientId of clientIds) {
    let clock = unknownClock;
    const windows = storedWindows(clientId, span.from, span.until);
    async function judgeNext() {
      const { value, done = false } = await windows.next();
      if (!value) return { done, full: false };
      const { start, end, reports } = value;
      reportsRead += reports.length;
      if (reportsRead > budget) return { done: true, full: true };
      const window = { start, end, reports, lastHeardAt: null, clockAhead: knownAhead(clock, start) };
      clock = learnClock(clock, reports);
      for (const { ruleId, name: rule, severity, explanation } of findCheating(game, window, settings)) {
        const one = { ruleId, rule, severity, explanation, windowStart: start };
        if (!found.has(keyOf(one))) found.set(keyOf(one), one);
      }
      return { done, full: true };
    }
    while (!(await turns.run(turn, judgeNext)).done);
    if (reportsRead > budget) return null;
  }
  return { found, reportsRead };
}

/** What was raised for a player of a session, in the windows and by the rules that are replayed. */
async function readRaised(game: AntiCheatGame, span: Span, userId: string) {
  const rows = await db.detection.findMany({
    where: {
      sessionId: span.id,
      userId,
      ruleId: { in: replayedRules(game).map(({ ruleId }) => ruleId) },
      windowStart: { gte: new Date(span.from), lt: new Date(span.until) },
    },
    orderBy: { windowStart: 'asc' },
    select: { id: true, ruleId: true, rule: true, severity: true, explanation: true, windowStart: true },
  });
  return rows.map((row) => ({ ...row, windowStart: row.windowStart.getTime() }));
}

/** The tallies and differences of a replay, in the order in which they were found. */
class Comparison {
  readonly tallies: Record<string, Tally>;
  readonly changes: StoredChange[];

  constructor(replay: Pick<Replay, 'tallies' | 'changes'>) {
    this.tallies = replay.tallies as Record<string, Tally>;
    this.changes = replay.changes as StoredChange[];
  }

  private count(ruleId: string, name: keyof Tally): void {
    const tally = this.tallies[ruleId] ?? { raised: 0, replayed: 0, added: 0, gone: 0 };
    tally[name] += 1;
    this.tallies[ruleId] = tally;
  }

  add(
    span: Span,
    userId: string,
    found: ReadonlyMap<string, Found>,
    raised: readonly (Found & { id: string })[],
  ): void {
    const about = { sessionId: span.id, matchId: span.matchId, userId };
    const differences: StoredChange[] = [];
    const raisedKeys = new Set(raised.map(keyOf));
    for (const { id, windowStart, ...rest } of raised) {
      this.count(rest.ruleId, 'raised');
      if (found.has(keyOf({ ruleId: rest.ruleId, windowStart }))) continue;
      this.count(rest.ruleId, 'gone');
      const at = new Date(windowStart).toISOString();
      differences.push({ change: 'gone', ...about, ...rest, windowStart: at, detectionId: id });
    }
    for (const [key, { windowStart, ...rest }] of found) {
      this.count(rest.ruleId, 'replayed');
      if (raisedKeys.has(key)) continue;
      this.count(rest.ruleId, 'added');
      const at = new Date(windowStart).toISOString();
      differences.push({ change: 'added', ...about, ...rest, windowStart: at, detectionId: null });
    }
    differences.sort((a, b) => a.windowStart.localeCompare(b.windowStart));
    this.changes.push(...differences.slice(0, maxChanges - this.changes.length));
  }
}

/** The settings to try: those of the replay, and for the other rules those of the project. */
async function readTried({ projectId, settings }: Replay): Promise<Map<string, RuleSetting>> {
  const tried = await readSettings(db, projectId);
  for (const { ruleId, enabled, thresholds } of settings as RuleChange[]) tried.set(ruleId, { enabled, thresholds });
  return tried;
}

/**
 * Continues a replay for some seconds and stores how far it is; what was not stored is done again. It reads only: nothing
 * is raised.
 * @returns whether it has ended, or was replaced by another one
 */
export async function continueReplay(replayId: string, limit = maxReports): Promise<boolean> {
  const replay = await readReplay(replayId);
  if (!replay) return true;
  const { game, sessionIds } = replay;
  const [settings, comparison, end] = [await readTried(replay), new Comparison(replay), Date.now() + sliceMs];
  let { sessionsDone, playersDone, reportsRead, isPartial } = replay;
  while (sessionsDone < sessionIds.length && !isPartial && Date.now() < end) {
    const span = await readSpan(sessionIds[sessionsDone] ?? '');
    const players = span ? await readPlayers(span.id) : [];
    for (; span && playersDone < players.length && Date.now() < end; playersDone += 1) {
      const player = players[playersDone];
      if (!player) break;
      const one = await replayPlayer(replay, span, player.clientIds, settings, limit - reportsRead);
      if (!one) {
        isPartial = true;
        break;
      }
      reportsRead += one.reportsRead;
      comparison.add(span, player.userId, one.found, await readRaised(game, span, player.userId));
    }
    if (isPartial || playersDone < players.length) continue;
    sessionsDone += 1;
    playersDone = 0;
  }
  const hasEnded = isPartial || sessionsDone === sessionIds.length;
  const progress: Prisma.AntiCheatReplayUpdateManyMutationInput = {
    ...{ sessionsDone, playersDone, reportsRead, isPartial },
    tallies: comparison.tallies,
    changes: comparison.changes,
    progressAt: new Date(),
    finishedAt: hasEnded ? new Date() : null,
  };
  // A run that was thought to be lost must not overwrite what another one has stored since.
  const where = { id: replayId, sessionsDone: replay.sessionsDone, playersDone: replay.playersDone, finishedAt: null };
  const { count } = await db.antiCheatReplay.updateMany({ where, data: progress });
  return hasEnded || count === 0;
}

/** Ends a replay that failed for good. */
export async function failReplay(replayId: string): Promise<void> {
  await db.antiCheatReplay.updateMany({
    where: { id: replayId, finishedAt: null },
    data: { failed: true, finishedAt: new Date() },
  });
}
