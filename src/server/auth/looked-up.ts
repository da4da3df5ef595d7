/**
 * How long a credential that was looked up counts, in ms. Callers decide how long their bodies take to arrive, and how many
 * requests of theirs wait in front: a credential that ended meanwhile must not act for them afterwards.
 */
const lookedUpMs = 1_000;

export type LookedUp<Found> = { found: Promise<Found>; at: number };

export const isFresh = (lookedUp: LookedUp<unknown> | undefined) =>
  lookedUp !== undefined && performance.now() - lookedUp.at < lookedUpMs;

/** Look-ups that many share while they are fresh: each live stream would repeat them before each notice. */
export class SharedLookUps<Found> {
  /** The oldest first. */
  private readonly latest = new Map<string, LookedUp<Found>>();

  find(key: string, lookUp: () => Promise<Found>): LookedUp<Found> {
    const known = this.latest.get(key);
    if (known && isFresh(known)) return known;
    for (const [name, lookedUp] of this.latest) {
      if (isFresh(lookedUp)) break;
      this.latest.delete(name);
    }
    const lookedUp = { at: performance.now(), found: lookUp() };
    this.latest.set(key, lookedUp);
    return lookedUp;
  }

  forget(key: string): void {
    this.latest.delete(key);
  }
}
