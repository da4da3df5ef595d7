/** A handshake that held the process up for less is an ordinary one, in milliseconds: those take 1 to 3. */
export const ordinaryMs = 5;
/** One that takes so long is suspect, though a busy machine can make any of them so slow. */
const suspectMs = 20;
/** After so many milliseconds of suspect ones, a project is suspicious. Each ordinary one takes some off. */
const suspiciousMs = 50;
const forgivenMs = 5;
/** Of the time of a process, what the others of a project may take, and those of all projects that are watched. */
const share = { project: 1 / 20, all: 1 / 10 };
/** Among all, suspect ones count so many times: two in a second that hold others up for 50 ms are too many. */
const suspectCounts = 10;
/** So much they may take at once; then the project is watched for some time, or every one with suspect handshakes. */
const atOnceMs = 200;
const watchedMs = 10 * 60_000;
/** No project waits longer for its next request. */
const maxWaitMs = 30_000;

/** What costly handshakes took and has not passed yet at a share of the time, and as of when. */
type Debt = { owedMs: number; at: number };
type Account = Debt & { suspicionMs: number; watchedUntil: number };

/**
 * Receivers choose certificates, and while the signatures in those are checked, nothing else happens. A project whose receivers
 * make that last makes one request at a time, and the longer it lasts, the later the next. Several such projects take turns.
 */
export class Handshakes {
  private readonly accounts = new Map<string, Account>();
  private readonly all: Debt = { owedMs: 0, at: 0 };

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Milliseconds until the next request of a project may begin; 0: now. */
  waitMs(projectId: string): number {
    const account = this.accountOf(projectId);
    if (!account || !this.watches(account)) return 0;
    return Math.max(account.owedMs / share.project, this.passOff(this.all, share.all).owedMs / share.all);
  }

  /**
   * Notes that a request begins. @returns what to call, at its end, with how long its handshake held the process up, and whether
   * that is certain: many projects that each get a few odd responses are watched as soon as together they are too many
   */
  begin(projectId: string): (heldUpMs: number, isCertain?: boolean) => void {
    const account = this.accountOf(projectId);
    const reserved = account && this.watches(account) ? atOnceMs : 0;
    if (account) account.owedMs += reserved;
    this.passOff(this.all, share.all).owedMs += reserved;
    return (heldUpMs, isCertain = false) => {
      const costlyMs = heldUpMs < ordinaryMs ? 0 : heldUpMs;
      const known = this.accountOf(projectId);
      const all = this.passOff(this.all, share.all);
      all.owedMs = Math.max(all.owedMs - reserved, 0);
      const isSuspect = heldUpMs >= suspectMs;
      const others = all.owedMs;
      all.owedMs = Math.min(others + costlyMs * (isSuspect ? suspectCounts : 1), maxWaitMs * share.all);
      if (known === null && costlyMs === 0) return;
      const noted: Account = known ?? { owedMs: 0, at: this.now(), suspicionMs: 0, watchedUntil: 0 };
      noted.owedMs = Math.min(Math.max(noted.owedMs - reserved, 0) + costlyMs, maxWaitMs * share.project);
      if (isSuspect || costlyMs === 0)
        noted.suspicionMs = Math.max(noted.suspicionMs + (isSuspect ? heldUpMs : -forgivenMs), 0);
      const isSuspicious = isCertain || (isSuspect && noted.suspicionMs >= suspiciousMs);
      if (noted.owedMs >= atOnceMs || (isSuspicious && others >= atOnceMs)) {
        noted.watchedUntil = this.now() + watchedMs;
        noted.suspicionMs = 0;
      }
      this.accounts.set(projectId, noted);
    };
  }

  private watches({ watchedUntil }: Account): boolean {
    return this.now() < watchedUntil;
  }

  private passOff(debt: Debt, of: number): Debt {
    const now = this.now();
    debt.owedMs = Math.max(debt.owedMs - (now - debt.at) * of, 0);
    debt.at = now;
    return debt;
  }

  private accountOf(projectId: string): Account | null {
    const account = this.accounts.get(projectId);
    if (!account) return null;
    this.passOff(account, share.project);
    if (account.owedMs > 0 || account.suspicionMs > 0 || this.watches(account)) return account;
    this.accounts.delete(projectId);
    return null;
  }
}

/** Those of this process. */
export const handshakes = new Handshakes();
