import { db } from '@/server/db';
import { logger } from '@/server/logger';
import { evaluateOpen, roundMs } from './data-evaluation';

/** A session with something left to evaluate. `owner` is the account that created its project; without one, the project. */
export type OpenSession = { id: string; owner: string };

/**
 * Sessions with something left to evaluate, running or ended: owners take turns, so do the projects of each, and those
 * evaluated longest ago come first.
 */
export function findOpenSessions(limit: number): Promise<OpenSession[]> {
  return db.$queryRaw<OpenSession[]>`
    SELECT "id", "owner" FROM (
      SELECT "id", "owner", "evaluatedUntil",
        row_number() OVER (PARTITION BY "owner" ORDER BY "turn", "evaluatedUntil", "id") AS "place"
      FROM (
        SELECT s."id", s."evaluatedUntil", coalesce(p."createdById", p."id") AS "owner",
          row_number() OVER (PARTITION BY s."projectId" ORDER BY s."evaluatedUntil", s."id") AS "turn"
        FROM "anti_cheat_session" s JOIN "project" p ON p."id" = s."projectId"
        WHERE s."endedAt" IS NULL OR s."evaluatedUntil" < s."endedAt") s) s
    ORDER BY "place", "evaluatedUntil" LIMIT ${limit}`;
}

/**
 * Evaluates sessions one after the other, always one of the owner whose sessions took least lately: however many sessions an
 * owner has, and however long they take, they do not delay those of others that take less.
 */
export class EvaluationRounds {
  /** Milliseconds that the sessions of each owner took; with every further round they count half as much. */
  private readonly usedMs = new Map<string, number>();

  constructor(
    private readonly evaluate: (sessionId: string) => Promise<number> = evaluateOpen,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Evaluates for some seconds; the next round goes on with those who were left out. A session that fails is logged and
   * tried again next time, and does not hold up the others.
   * @returns how many detections are new
   */
  async run(sessions: readonly OpenSession[], budgetMs: number = roundMs): Promise<number> {
    const until = this.now() + budgetMs;
    this.halve();
    const waiting = new Map<string, string[]>();
    for (const { id, owner } of sessions) {
      const line = waiting.get(owner);
      if (line) line.push(id);
      else waiting.set(owner, [id]);
    }
    let raised = 0;
    for (;;) {
      const owner = this.nextOwner(waiting);
      const line = waiting.get(owner ?? '') ?? [];
      const sessionId = line.shift();
      if (owner === null || sessionId === undefined) break;
      if (line.length === 0) waiting.delete(owner);
      const began = this.now();
      try {
        raised += await this.evaluate(sessionId);
      } catch (error) {
        logger.error({ err: error, sessionId }, 'could not evaluate an anti-cheat session');
      }
      const now = this.now();
      this.usedMs.set(owner, this.usedBy(owner) + now - began);
      if (now > until) break;
    }
    return raised;
  }

  private usedBy(owner: string): number {
    return this.usedMs.get(owner) ?? 0;
  }

  private halve(): void {
    for (const [owner, ms] of this.usedMs) {
      if (ms < 1) this.usedMs.delete(owner);
      else this.usedMs.set(owner, ms / 2);
    }
  }

  /** Of those with sessions that wait, who used least; of several, the first. */
  private nextOwner(waiting: ReadonlyMap<string, unknown>): string | null {
    let next: string | null = null;
    for (const owner of waiting.keys()) if (next === null || this.usedBy(owner) < this.usedBy(next)) next = owner;
    return next;
  }
}

/** Those of this process. */
export const evaluationRounds = new EvaluationRounds();
