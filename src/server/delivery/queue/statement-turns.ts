import { queueConnections } from '@/server/db';
import { takeTurnsAs } from '@/server/delivery/outbound/handshake';

const maxKnown = 10_000;

/** How many statements are under way, and how long those before took, which is compared with that of others. */
type Use = { running: number; usedMs: number };
/** What a project has under way and what waits, and the same of whose turn it is (see `projectTurnSql`). */
type Account = Use & { waiting: (() => void)[]; turn: Use & { accounts: number } };

const compare = (a: Use, b: Use) => a.running - b.running || a.usedMs - b.usedMs;
/** What somebody begins with who had nothing to do: they make up for nothing, and go behind nobody. */
const leastUsedMs = (others: Iterable<Use>) => {
  const used = [...others].map(({ usedMs }) => usedMs);
  return used.length === 0 ? 0 : Math.min(...used);
};

/**
 * Whose statement about a single queue goes next: of whoever has the fewest under way, and of those the one whose statements took
 * least; and of theirs in the same way a project's. However many queues and projects somebody has, and however often they fail, the
 * others wait for what is under way and no more.
 */
export class StatementTurns {
  private readonly owners = new Map<string, { projectId: string; turn: string }>();
  /** Those of projects with statements. */
  private readonly accounts = new Map<string, Account>();
  private readonly turns = new Map<string, Account['turn']>();
  private running = 0;

  constructor(
    private readonly atOnce: number = queueConnections,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Notes whose queue a subscription's is. One of which that is not known takes turns of its own. */
  belongs(subscriptionId: string, { projectId, turn }: { projectId: string; turn: string }): void {
    this.owners.delete(subscriptionId);
    this.owners.set(subscriptionId, { projectId, turn });
    const [oldest] = this.owners.keys();
    if (this.owners.size > maxKnown && oldest !== undefined) this.owners.delete(oldest);
  }

  /** Does `work` about the queue of a subscription when it is its turn. */
  async run<Result>(subscriptionId: string, work: () => Promise<Result>): Promise<Result> {
    const owner = this.owners.get(subscriptionId) ?? { projectId: subscriptionId, turn: subscriptionId };
    const account = this.accountOf(owner);
    await new Promise<void>((begin) => {
      account.waiting.push(begin);
      this.beginNext();
    });
    const began = this.now();
    try {
      return await work();
    } finally {
      const tookMs = this.now() - began;
      for (const use of [account, account.turn]) {
        use.usedMs += tookMs;
        use.running -= 1;
      }
      this.running -= 1;
      if (account.running + account.waiting.length === 0 && this.accounts.delete(owner.projectId)) {
        account.turn.accounts -= 1;
        if (account.turn.accounts === 0) this.turns.delete(owner.turn);
      }
      this.beginNext();
    }
  }

  private accountOf({ projectId, turn: name }: { projectId: string; turn: string }): Account {
    const known = this.accounts.get(projectId);
    if (known) return known;
    const turn = this.turns.get(name) ?? { running: 0, usedMs: leastUsedMs(this.turns.values()), accounts: 0 };
    turn.accounts += 1;
    this.turns.set(name, turn);
    const account = { running: 0, usedMs: leastUsedMs(this.accounts.values()), waiting: [], turn };
    this.accounts.set(projectId, account);
    return account;
  }

  private beginNext(): void {
    if (this.running >= this.atOnce) return;
    let next: Account | null = null;
    for (const account of this.accounts.values()) {
      if (account.waiting.length === 0) continue;
      const order = next ? compare(account.turn, next.turn) || compare(account, next) : -1;
      if (order < 0) next = account;
    }
    const begin = next?.waiting.shift();
    if (!next || !begin) return;
    for (const use of [next, next.turn]) use.running += 1;
    this.running += 1;
    begin();
  }
}

/** Those of this process. */
export const statementTurns = new StatementTurns();

/** Notes whose queue a subscription's is, for all that takes turns about it. */
export function noteOwner(subscriptionId: string, owner: { projectId: string; turn: string }): void {
  statementTurns.belongs(subscriptionId, owner);
  takeTurnsAs(owner.projectId, owner.turn);
}
