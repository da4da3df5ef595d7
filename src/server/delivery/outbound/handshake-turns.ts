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

type Owner = {
  tookMs: number;
  costlyMs: number;
  costlyAt: number;
  /** Whether it had an ordinary handshake. */
  isProven: boolean;
  restUntil: number;
};

/** Owners of whom it is known whose turn they take. */
const maxKnown = 10_000;

const newOwner = (): Owner => {
  return { tookMs: 0, costlyMs: 0, costlyAt: 0, isProven: false, restUntil: 0 };
};

const isOffender = ({ costlyMs, costlyAt }: Owner, now: number) =>
  costlyMs >= offenderMs && now - costlyAt < offenderForMs;

/**
 * Whose TLS handshake goes on next. While the signatures in a chain of certificates are checked, nothing else happens, and the
 * other side decides how long that is. Owners of a kind whose handshakes took least go first, so that one with costly ones delays
 * only its own; before that counts what those of all owners with one turn took (see `projectTurnSql`). What the other side sends after a handshake takes such turns too, apart from those of handshakes.
 */
export class HandshakeTurns {
  /** What waits, by owner: each piece returns how long it held the process up, in ms. */
  private readonly waiting = new Map<string, (() => number)[]>();
  private readonly lately = new Map<string, Owner>();
  private readonly turnOf = new Map<string, string>();
  /** What handshakes took by whose turn they were, in ms. */
  private readonly turnTookMs = new Map<string, number>();
  private latelySince = 0;
  private roundMs = 0;
  private nextRoundIsSet = false;
  private readonly restUntil = { new: 0, proven: 0, offenders: 0 };
  private restTimer: NodeJS.Timeout | undefined;

  /** Notes whose turn an owner takes; of whom that is not known has one of its own. */
  belongs(owner: string, turn: string): void {
    this.turnOf.delete(owner);
    this.turnOf.set(owner, turn);
    const [oldest] = this.turnOf.keys();
    if (this.turnOf.size > maxKnown && oldest !== undefined) this.turnOf.delete(oldest);
  }

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
    let least = { kind: 3, ofTurn: 0, took: 0 };
    for (const name of this.waiting.keys()) {
      const owner = this.lately.get(name) ?? newOwner();
      // Those that are known to have ordinary ones go first, offenders last.
      const kind = isOffender(owner, now) ? 2 : owner.isProven ? 0 : 1;
      const took = kind === 2 ? owner.costlyMs : owner.tookMs;
      const ofTurn = this.turnTookMs.get(this.turnOf.get(name) ?? name) ?? 0;
      const order = kind - least.kind || ofTurn - least.ofTurn || took - least.took;
      if (order >= 0 || now < this.restOf(owner, now)) continue;
      found = name;
      least = { kind, ofTurn, took };
    }
    return found;
  }

  private note(name: string, tookMs: number, now: number): void {
    if (now - this.latelySince > latelyMs) {
      for (const [other, owner] of this.lately) if (!isOffender(owner, now)) this.lately.delete(other);
      this.turnTookMs.clear();
      this.latelySince = now;
    }
    const turn = this.turnOf.get(name) ?? name;
    this.turnTookMs.set(turn, (this.turnTookMs.get(turn) ?? 0) + tookMs);
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
