/** A handshake that held the process up for less is an ordinary one, in milliseconds: those take 1 to 3. */
const ordinaryMs = 5;
/** Of the time of a process, what the others of a project may take. */
const share = 1 / 20;
/** So much they may take at once; then the project is watched for some time. */
const atOnceMs = 200;
const watchedMs = 10 * 60_000;
/** No project waits longer for its next request. */
const maxWaitMs = 30_000;

type Account = { owedMs: number; at: number; watchedUntil: number };

/**
 * Receivers choose certificates, and while the signatures in those are checked, nothing else happens. A project whose receivers
 * make that last makes one request at a time, and the longer it lasts, the later the next.
 */
export class Handshakes {
  private readonly accounts = new Map<string, Account>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Milliseconds until the next request of a project may begin; 0: now. */
  waitMs(projectId: string): number {
    const account = this.accountOf(projectId);
    return account && this.watches(account) && account.owedMs > 0 ? account.owedMs / share : 0;
  }

  /** Notes that a request begins. @returns what to call, at its end, with how long its handshake held the process up */
  begin(projectId: string): (heldUpMs: number) => void {
    const account = this.accountOf(projectId);
    const reserved = account && this.watches(account) ? atOnceMs : 0;
    if (account) account.owedMs += reserved;
    return (heldUpMs) => {
      const costlyMs = heldUpMs < ordinaryMs ? 0 : heldUpMs;
      const known = this.accountOf(projectId);
      if (known === null && costlyMs === 0) return;
      const noted = known ?? { owedMs: 0, at: this.now(), watchedUntil: 0 };
      noted.owedMs = Math.min(Math.max(noted.owedMs - reserved, 0) + costlyMs, maxWaitMs * share);
      if (noted.owedMs >= atOnceMs) noted.watchedUntil = this.now() + watchedMs;
      this.accounts.set(projectId, noted);
    };
  }

  private watches({ watchedUntil }: Account): boolean {
    return this.now() < watchedUntil;
  }

  private accountOf(projectId: string): Account | null {
    const account = this.accounts.get(projectId);
    if (!account) return null;
    const now = this.now();
    account.owedMs = Math.max(account.owedMs - (now - account.at) * share, 0);
    account.at = now;
    if (account.owedMs > 0 || this.watches(account)) return account;
    this.accounts.delete(projectId);
    return null;
  }
}

/** Those of this process. */
export const handshakes = new Handshakes();
