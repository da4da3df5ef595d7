import { db } from '@/server/db';
import { logger } from '@/server/logger';
import { evaluateOpen, roundMs } from './data-evaluation';

/**
 * A session with something left to evaluate. `owner` is the account that created its project, or without one the project;
 * `block` the addresses from which it was created, or where that is not known the owner.
 */
export type OpenSession = { id: string; owner: string; block: string };

/**
 * Sessions with something left to evaluate, running or ended: blocks take turns, so do the owners in each and the projects of
 * those, and what was evaluated longest ago comes first.
 */
export function findOpenSessions(limit: number): Promise<OpenSession[]> {
  return db.$queryRaw<OpenSession[]>`
    SELECT "id", "owner", "block" FROM (
      SELECT *, row_number() OVER (PARTITION BY "block" ORDER BY "ofOwner", "evaluatedUntil", "id") AS "ofBlock" FROM (
        SELECT *, row_number() OVER (PARTITION BY "block", "owner" ORDER BY "ofProject", "evaluatedUntil", "id") AS "ofOwner"
        FROM (
          SELECT s."id", s."evaluatedUntil", coalesce(p."createdById", p."id") AS "owner",
            coalesce(p."createdFrom", p."createdById", p."id") AS "block",
            row_number() OVER (PARTITION BY s."projectId" ORDER BY s."evaluatedUntil", s."id") AS "ofProject"
          FROM "anti_cheat_session" s JOIN "project" p ON p."id" = s."projectId"
          WHERE s."endedAt" IS NULL OR s."evaluatedUntil" < s."endedAt") s) s) s
    ORDER BY "ofBlock", "evaluatedUntil" LIMIT ${limit}`;
}

/** Milliseconds that sessions took, by block or owner; with every further round they count half as much. */
class Usage {
  private readonly usedMs = new Map<string, number>();

  add(who: string, ms: number): void {
    this.usedMs.set(who, this.of(who) + ms);
  }

  halve(): void {
    for (const [who, ms] of this.usedMs) {
      if (ms < 1) this.usedMs.delete(who);
      else this.usedMs.set(who, ms / 2);
    }
  }

  /** Of some, who used least; of several, the first. */
  least(some: Iterable<string>): string | undefined {
    let least: string | undefined;
    for (const who of some) if (least === undefined || this.of(who) < this.of(least)) least = who;
    return least;
  }

  private of(who: string): number {
    return this.usedMs.get(who) ?? 0;
  }
}

/** Sessions that wait, in order, by block and owner. */
type Waiting = Map<string, Map<string, string[]>>;

function inLines(sessions: readonly OpenSession[]): Waiting {
  const waiting: Waiting = new Map();
  for (const { id, owner, block } of sessions) {
    const lines = waiting.get(block) ?? new Map<string, string[]>();
    waiting.set(block, lines);
    const line = lines.get(owner);
    if (line) line.push(id);
    else lines.set(owner, [id]);
  }
  return waiting;
}

/**
 * Evaluates sessions one after the other, always one of the block whose sessions took least lately, and in it of the owner whose
 * did: however many sessions somebody has, and however long they take, they do not delay those of others that take less, nor do
 * several accounts have more turns than one.
 */
export class EvaluationRounds {
  private readonly ofBlocks = new Usage();
  private readonly ofOwners = new Usage();

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
    this.ofBlocks.halve();
    this.ofOwners.halve();
    const waiting = inLines(sessions);
    let raised = 0;
    for (;;) {
      const next = this.takeNext(waiting);
      if (!next) break;
      const { id: sessionId, owner, block } = next;
      const began = this.now();
      try {
        raised += await this.evaluate(sessionId);
      } catch (error) {
        logger.error({ err: error, sessionId }, 'could not evaluate an anti-cheat session');
      }
      const now = this.now();
      this.ofBlocks.add(block, now - began);
      this.ofOwners.add(owner, now - began);
      if (now > until) break;
    }
    return raised;
  }

  private takeNext(waiting: Waiting): OpenSession | undefined {
    const block = this.ofBlocks.least(waiting.keys());
    const lines = waiting.get(block ?? '');
    const owner = this.ofOwners.least(lines?.keys() ?? []);
    const line = lines?.get(owner ?? '');
    const id = line?.shift();
    if (block === undefined || owner === undefined || id === undefined) return undefined;
    if (line?.length === 0) lines?.delete(owner);
    if (lines?.size === 0) waiting.delete(block);
    return { id, owner, block };
  }
}

/** Those of this process. */
export const evaluationRounds = new EvaluationRounds();
