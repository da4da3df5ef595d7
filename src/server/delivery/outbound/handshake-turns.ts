/** Handshakes have so long in a round of the event loop; the others go on in the next ones. */
const maxRoundMs = 10;
/** A handshake that takes longer is a costly one: ordinary ones take 1 to 3. */
const costlyMs = 10;
/** So many times as long as a costly one took, all handshakes rest after it, and those of who had one lately. */
const rests = { all: 3, costly: 100 };
const latelyMs = 60_000;

type Owner = { tookMs: number; costly: boolean };

/**
 * Whose TLS handshake goes on next. While the signatures in a chain of certificates are checked, nothing else happens, and the
 * other side decides how long that is. Owners whose handshakes took least go first, so that one with costly ones delays only
 * its own.
 */
export class HandshakeTurns {
  /** What waits, by owner: each piece returns how long it held the process up, in ms. */
  private readonly waiting = new Map<string, (() => number)[]>();
  private readonly lately = new Map<string, Owner>();
  private latelySince = 0;
  private roundMs = 0;
  private nextRoundIsSet = false;
  private readonly restUntil = { all: 0, costly: 0 };
  private restTimer: NodeJS.Timeout | undefined;

  /** Goes on with a handshake when it is its owner's turn. */
  goOn(owner: string, work: () => number): void {
    const works = this.waiting.get(owner);
    if (works) works.push(work);
    else this.waiting.set(owner, [work]);
    this.work();
  }

  /** Notes that a handshake has ended, and how long it held the process up in all. */
  end(owner: string, tookMs: number): void {
    const known = this.lately.get(owner);
    if (known && tookMs < costlyMs) known.costly = false;
  }

  private readonly work = (): void => {
    let now = performance.now();
    for (let owner = this.next(now); owner !== null; owner = this.next(now)) {
      const works = this.waiting.get(owner) ?? [];
      const first = works.shift();
      if (works.length === 0) this.waiting.delete(owner);
      const tookMs = first?.() ?? 0;
      now = performance.now();
      this.note(owner, tookMs, now);
    }
    this.schedule(now);
  };

  private next(now: number): string | null {
    if (this.roundMs >= maxRoundMs || now < this.restUntil.all) return null;
    let found: string | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const owner of this.waiting.keys()) {
      const { tookMs, costly } = this.lately.get(owner) ?? { tookMs: 0, costly: false };
      if (tookMs >= least || (costly && now < this.restUntil.costly)) continue;
      found = owner;
      least = tookMs;
    }
    return found;
  }

  private note(owner: string, tookMs: number, now: number): void {
    if (now - this.latelySince > latelyMs) {
      this.lately.clear();
      this.latelySince = now;
    }
    const known = this.lately.get(owner) ?? { tookMs: 0, costly: false };
    this.lately.set(owner, known);
    known.tookMs += tookMs;
    this.roundMs += tookMs;
    if (tookMs < costlyMs) return;
    known.costly = true;
    this.restUntil.all = now + rests.all * tookMs;
    this.restUntil.costly = now + rests.costly * tookMs;
  }

  /** @param now as of when nothing could go on: what has to rest by then is waited for */
  private schedule(now: number): void {
    if (this.roundMs > 0 && !this.nextRoundIsSet) {
      this.nextRoundIsSet = true;
      setImmediate(() => {
        this.nextRoundIsSet = false;
        this.roundMs = 0;
        this.work();
      });
    }
    clearTimeout(this.restTimer);
    if (this.waiting.size === 0) return;
    const next = Math.min(...Object.values(this.restUntil).filter((until) => until > now));
    if (next < Number.POSITIVE_INFINITY) this.restTimer = setTimeout(this.work, next - now).unref();
  }
}
