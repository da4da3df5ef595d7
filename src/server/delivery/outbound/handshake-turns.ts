/** Handshakes have so long in a round of the event loop; the others go on in the next ones. */
const maxRoundMs = 10;
/** A handshake that takes longer is a costly one. Ordinary ones take 1 to 3, and sometimes more on a busy machine. */
const costlyMs = 10;
/**
 * An owner whose costly handshakes took so long in all is an offender for ten minutes after the last one. Each ordinary handshake
 * takes 10 ms off.
 */
const offenderMs = 50;
const offenderForMs = 10 * 60_000;
/**
 * After a costly handshake, others wait for so many times as long as it took: those of the same owner, and those of owners without
 * an ordinary one so far, which may be costly too. All offenders wait for the square of its milliseconds, so that the longer their
 * handshakes are, the less of the time they get: a hundredth with 100 ms, a four-hundredth with 400 ms.
 */
const rests = { own: 20, others: 1 };
const latelyMs = 60_000;
/** Longer than the handshakes of any owner within that, so that those of one kind all go before those of the next. */
const lastKindMs = 10 * latelyMs;

type Owner = {
  tookMs: number;
  costlyMs: number;
  costlyAt: number;
  /** Whether it had an ordinary handshake. */
  isProven: boolean;
  restUntil: number;
};

const newOwner = (): Owner => {
  return { tookMs: 0, costlyMs: 0, costlyAt: 0, isProven: false, restUntil: 0 };
};

const isOffender = ({ costlyMs, costlyAt }: Owner, now: number) =>
  costlyMs >= offenderMs && now - costlyAt < offenderForMs;

/**
 * Whose TLS handshake goes on next. While the signatures in a chain of certificates are checked, nothing else happens, and the
 * other side decides how long that is. Owners of a kind whose handshakes took least go first, so that one with costly ones delays
 * only its own. What the other side sends after a handshake takes such turns too, apart from those of handshakes.
 */
export class HandshakeTurns {
  /** What waits, by owner: each piece returns how long it held the process up, in ms. */
  private readonly waiting = new Map<string, (() => number)[]>();
  private readonly lately = new Map<string, Owner>();
  private latelySince = 0;
  private roundMs = 0;
  private nextRoundIsSet = false;
  private readonly restUntil = { new: 0, proven: 0, offenders: 0 };
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
    if (tookMs >= costlyMs) return;
    const known = this.ownerOf(owner);
    if (isOffender(known, performance.now())) return;
    known.isProven = true;
    known.costlyMs = Math.max(known.costlyMs - costlyMs, 0);
  }

  private ownerOf(owner: string): Owner {
    const known = this.lately.get(owner) ?? newOwner();
    this.lately.set(owner, known);
    return known;
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

  private restOf(owner: Owner, now: number): number {
    const ofItsKind = isOffender(owner, now) ? 'offenders' : owner.isProven ? 'proven' : 'new';
    return Math.max(owner.restUntil, this.restUntil[ofItsKind]);
  }

  private next(now: number): string | null {
    if (this.roundMs >= maxRoundMs) return null;
    let found: string | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const name of this.waiting.keys()) {
      const owner = this.lately.get(name) ?? newOwner();
      // Those that are known to have ordinary ones go first, offenders last.
      const kind = isOffender(owner, now) ? 2 : owner.isProven ? 0 : 1;
      const took = kind * lastKindMs + (kind === 2 ? owner.costlyMs : owner.tookMs);
      if (took >= least || now < this.restOf(owner, now)) continue;
      found = name;
      least = took;
    }
    return found;
  }

  private note(name: string, tookMs: number, now: number): void {
    if (now - this.latelySince > latelyMs) {
      for (const [other, owner] of this.lately) if (!isOffender(owner, now)) this.lately.delete(other);
      this.latelySince = now;
    }
    const owner = this.ownerOf(name);
    owner.tookMs += tookMs;
    this.roundMs += tookMs;
    if (tookMs < costlyMs) return;
    const { isProven } = owner;
    const wasOffender = isOffender(owner, now);
    owner.costlyMs += tookMs;
    owner.costlyAt = now;
    owner.restUntil = now + rests.own * tookMs;
    // Offenders wait anyway, so nobody else has to.
    if (!wasOffender) this.restUntil.new = now + rests.others * tookMs;
    if (!isOffender(owner, now)) return;
    owner.isProven = false;
    this.restUntil.offenders = now + tookMs * tookMs;
    if (!wasOffender && isProven) this.restUntil.proven = now + rests.others * tookMs;
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
    const next = [...this.waiting.keys()]
      .map((name) => this.restOf(this.lately.get(name) ?? newOwner(), now))
      .filter((until) => until > now);
    if (next.length > 0) this.restTimer = setTimeout(this.work, Math.min(...next) - now).unref();
  }
}
