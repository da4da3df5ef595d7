/**
 * Requests that a process has under way. Receivers that answer late, or fail again and again, share the slots of a lane of
 * their own, and a project has at most half of a lane. Projects that together hold a whole lane keep nobody waiting either:
 * a project with few requests under way has slots beyond it.
 */
export type Lane = 'quick' | 'slow';

const lanes: readonly Lane[] = ['quick', 'slow'];
const perLane: Record<Lane, number> = { quick: 256, slow: 96 };
/** Requests that a project may have under way in both lanes together: those that move to a full lane count there too. */
const perProject = 256;
/**
 * Requests that a project may have under way in a lane however many the others have there, and those that it may have begun in
 * the last moment; and so many of both that all projects with one turn may have.
 */
const reserve = { each: 10, ofTurn: 40, fresh: 4, freshOfTurn: 12 };

/** A request that takes longer is moved to the slow lane, with those that follow it to the same receiver. */
export const slowMs = 1_000;

/**
 * Requests that began in the last moment, of any lane, and have not ended. Most receivers answer by then, and each answer
 * keeps the process busy for half a millisecond: what happens meanwhile waits for all that came at once.
 */
const fresh = { most: 48, ms: 25 };

/** Whose request it is: a project's, and whose turn that has (see `projectTurnSql`). */
type Owner = { projectId: string; turn: string };

/** One request's place in a lane. */
export type Slot = { lane: Lane; owner: Owner; isFresh: boolean; began: number };

type Waiting = { owner: Owner; wake: () => void };

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

export class Slots {
  private readonly used = {
    quick: new Map<string, number>(),
    slow: new Map<string, number>(),
    fresh: new Map<string, number>(),
  };
  /** The same by whose turn it is. */
  private readonly ofTurn = {
    quick: new Map<string, number>(),
    slow: new Map<string, number>(),
    fresh: new Map<string, number>(),
  };
  private readonly total = { quick: 0, slow: 0, fresh: 0 };
  /** Those that are fresh, in the order in which they began, and some that have ended. */
  private readonly begun: Slot[] = [];
  private timer: NodeJS.Timeout | undefined;
  /** By whose turn it is. */
  private readonly waiting: Record<Lane, Map<string, Map<object, Waiting>>> = { quick: new Map(), slow: new Map() };

  constructor(
    private readonly size: Record<Lane | 'fresh', number> = { ...perLane, fresh: fresh.most },
    private readonly reserved = reserve,
    private readonly most = perProject,
  ) {}

  /**
   * Takes a slot for a request of a project.
   * @param who the queue that asks; `wake` is called when it should ask again
   * @returns null when there is none
   */
  take(lane: Lane, { projectId, turn }: Owner, who: object, wake: () => void): Slot | null {
    const owner = { projectId, turn };
    if (!this.free(lane, owner, who, wake)) return null;
    const slot = { lane, owner, isFresh: true, began: performance.now() };
    this.count(lane, owner, 1);
    this.count('fresh', owner, 1);
    this.begun.push(slot);
    return slot;
  }

  /** Whether `take` would succeed now; if not, `wake` is called when it may. */
  free(lane: Lane, { projectId, turn }: Owner, who: object, wake: () => void): boolean {
    this.age();
    const owner = { projectId, turn };
    if (this.hasRoom(lane, owner)) return true;
    const others = this.waiting[lane].get(turn) ?? new Map<object, Waiting>();
    this.waiting[lane].set(turn, others.set(who, { owner, wake }));
    this.lookLater();
    return false;
  }

  /** Moves a request to another lane, even where that is full: it is under way. */
  move(slot: Slot, lane: Lane): void {
    if (slot.lane === lane) return;
    this.count(slot.lane, slot.owner, -1);
    this.endFresh(slot);
    slot.lane = lane;
    this.count(lane, slot.owner, 1);
    this.wakeNext();
  }

  release(slot: Slot): void {
    this.count(slot.lane, slot.owner, -1);
    this.endFresh(slot);
    this.wakeNext();
  }

  /** Asks no more. A slot that `who` was woken for goes to the next. */
  leave(who: object): void {
    for (const lane of lanes) for (const turn of this.waiting[lane].keys()) this.forget(lane, turn, who);
    this.wakeNext();
  }

  private forget(lane: Lane, turn: string, who: object): void {
    const others = this.waiting[lane].get(turn);
    others?.delete(who);
    if (others?.size === 0) this.waiting[lane].delete(turn);
  }

  /** Passes on the places of requests that are not fresh any more. */
  private age(): void {
    const until = performance.now() - fresh.ms;
    for (let [first] = this.begun; first && (!first.isFresh || first.began <= until); [first] = this.begun) {
      this.begun.shift();
      if (!first.isFresh) continue;
      this.endFresh(first);
      this.wakeNext();
    }
  }

  /** What waits for a place of one that is fresh is woken even where that one takes long. */
  private lookLater(): void {
    if (this.begun.length === 0) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.age();
      if (this.waiting.quick.size + this.waiting.slow.size > 0) this.lookLater();
    }, fresh.ms);
  }

  private endFresh(slot: Slot): void {
    if (slot.isFresh) this.count('fresh', slot.owner, -1);
    slot.isFresh = false;
  }

  private hasRoom(lane: Lane, { projectId, turn }: Owner): boolean {
    const fresh = this.used.fresh.get(projectId) ?? 0;
    const isReserved = fresh < this.reserved.fresh && this.hasReserve(turn);
    if (!isReserved && !this.hasShare('fresh', projectId)) return false;
    const { quick, slow } = this.used;
    if ((quick.get(projectId) ?? 0) + (slow.get(projectId) ?? 0) >= this.most) return false;
    const isInReserve =
      (this.used[lane].get(projectId) ?? 0) < this.reserved.each &&
      (this.ofTurn[lane].get(turn) ?? 0) < this.reserved.ofTurn;
    return isInReserve || this.hasShare(lane, projectId);
  }

  /** Whether projects with one turn may begin something however much others have begun. */
  private hasReserve(turn: string): boolean {
    return (this.ofTurn.fresh.get(turn) ?? 0) < this.reserved.freshOfTurn;
  }

  /** Whether a project has less than half of what there is, and not all of that is taken. */
  private hasShare(of: keyof typeof this.total, projectId: string): boolean {
    const own = this.used[of].get(projectId) ?? 0;
    return own < Math.floor(this.size[of] / 2) && this.total[of] < this.size[of];
  }

  /**
   * Wakes the queue that has waited longest, in the project with the fewest requests under way in its lane, of those whose turn has the
   * fewest that are fresh.
   */
  private wakeNext(): void {
    let next: { lane: Lane; who: object; waiting: Waiting; ofTurn: number; load: number } | null = null;
    for (const lane of lanes) {
      for (const [turn, others] of this.waiting[lane]) {
        const ofTurn = this.ofTurn.fresh.get(turn) ?? 0;
        if (next && ofTurn > next.ofTurn) continue;
        // Of a turn that can have nothing, which may be hundreds of queues, none is looked at.
        if (!this.hasReserve(turn) && this.total.fresh >= this.size.fresh) continue;
        for (const [who, waiting] of others) {
          const load = this.used[lane].get(waiting.owner.projectId) ?? 0;
          const isBetter = !next || ofTurn < next.ofTurn || load < next.load;
          if (isBetter && this.hasRoom(lane, waiting.owner)) next = { lane, who, waiting, ofTurn, load };
          if (next?.who === who && load === 0) break;
        }
      }
    }
    if (!next) return;
    this.forget(next.lane, next.waiting.owner.turn, next.who);
    queueMicrotask(next.waiting.wake);
  }

  private count(of: keyof typeof this.total, { projectId, turn }: Owner, change: number): void {
    add(this.used[of], projectId, change);
    add(this.ofTurn[of], turn, change);
    this.total[of] += change;
  }
}
