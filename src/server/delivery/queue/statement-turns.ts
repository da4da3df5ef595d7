import { queueConnections } from '@/server/db';

const maxKnown = 10_000;

/** What a project has under way and what waits; `usedMs` is compared with that of others. */
type Account = { running: number; usedMs: number; waiting: (() => void)[] };

/**
 * Whose statement about a single queue goes next: that of the project with the fewest under way, and of those the one whose
 * statements took least. However many queues a project has, and however often they fail, the others wait for what is under
 * way and no more.
 */
export class StatementTurns {
  private readonly projects = new Map<string, string>();
  /** Those of projects with statements. */
  private readonly accounts = new Map<string, Account>();
  private running = 0;

  constructor(
    private readonly atOnce: number = queueConnections,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Notes whose queue a subscription's is. One of which that is not known takes turns of its own. */
  belongs(subscriptionId: string, projectId: string): void {
    this.projects.delete(subscriptionId);
    this.projects.set(subscriptionId, projectId);
    const [oldest] = this.projects.keys();
    if (this.projects.size > maxKnown && oldest !== undefined) this.projects.delete(oldest);
  }

  /** Does `work` about the queue of a subscription when it is its turn. */
  async run<Result>(subscriptionId: string, work: () => Promise<Result>): Promise<Result> {
    const owner = this.projects.get(subscriptionId) ?? subscriptionId;
    const account = this.accounts.get(owner) ?? { running: 0, usedMs: this.leastUsedMs, waiting: [] };
    this.accounts.set(owner, account);
    await new Promise<void>((begin) => {
      account.waiting.push(begin);
      this.beginNext();
    });
    const began = this.now();
    try {
      return await work();
    } finally {
      account.usedMs += this.now() - began;
      account.running -= 1;
      this.running -= 1;
      if (account.running + account.waiting.length === 0) this.accounts.delete(owner);
      this.beginNext();
    }
  }

  /** What a project begins with that had nothing to do: it makes up for nothing, and goes behind nobody. */
  private get leastUsedMs(): number {
    if (this.accounts.size === 0) return 0;
    return Math.min(...[...this.accounts.values()].map(({ usedMs }) => usedMs));
  }

  private beginNext(): void {
    if (this.running >= this.atOnce) return;
    let next: Account | null = null;
    for (const account of this.accounts.values()) {
      if (account.waiting.length === 0) continue;
      const order = next ? account.running - next.running || account.usedMs - next.usedMs : -1;
      if (order < 0) next = account;
    }
    const begin = next?.waiting.shift();
    if (!next || !begin) return;
    next.running += 1;
    this.running += 1;
    begin();
  }
}

/** Those of this process. */
export const statementTurns = new StatementTurns();
