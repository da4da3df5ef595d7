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
 * the last moment.
 */
const reserve = { each: 10, fresh: 4 };

/** A request that takes longer is moved to the slow lane, with those that follow it to the same receiver. */
export const slowMs = 1_000;

/**
 * Requests that began in the last moment, of any lane, and have not ended. Most receivers answer by then, and each answer
 * keeps the process busy for half a millisecond: what happens meanwhile waits for all that came at once.
 */
const fresh = { most: 48, ms: 25 };

/** One request's place in a lane. */
export type Slot = { lane: Lane; projectId: string; isFresh: boolean; began: number };

type Waiting = { projectId: string; wake: () => void };

export class Slots {
  private readonly used = {
    quick: new Map<string, number>(),
    slow: new Map<string, number>(),
    fresh: new Map<string, number>(),
  };
  private readonly total = { quick: 0, slow: 0, fresh: 0 };
  /** Those that are fresh, in the order in which they began, and some that have ended. */
  private readonly begun: Slot[] = [];
  private timer: NodeJS.Timeout | undefined;
  private readonly waiting: Record<Lane, Map<object, Waiting>> = { quick: new Map(), slow: new Map() };

  constructor(
    private readonly size: Record<Lane | 'fresh', number> = { ...perLane, fresh: fresh.most },
    private readonly reserved = reserve,
    private readonly most = perProject,
  ) {}

  /**
   * Takes a slot for a project.
   * @param who the queue that asks; `wake` is called when it should ask again
   * @returns null when there is none
   */
  take(lane: Lane, projectId: string, who: object, wake: () => void): Slot | null {
    if (!this.free(lane, projectId, who, wake)) return null;
    const slot = { lane, projectId, isFresh: true, began: performance.now() };
    this.count(lane, projectId, 1);
    this.count('fresh', projectId, 1);
    this.begun.push(slot);
    return slot;
  }

  /** Whether `take` would succeed now; if not, `wake` is called when it may. */
  free(lane: Lane, projectId: string, who: object, wake: () => void): boolean {
    this.age();
    if (this.hasRoom(lane, projectId)) return true;
    this.waiting[lane].set(who, { projectId, wake });
    this.lookLater();
    return false;
  }

  /** Moves a request to another lane, even where that is full: it is under way. */
  move(slot: Slot, lane: Lane): void {
    if (slot.lane === lane) return;
    this.count(slot.lane, slot.projectId, -1);
    this.endFresh(slot);
    slot.lane = lane;
    this.count(lane, slot.projectId, 1);
    this.wakeNext();
  }

  release(slot: Slot): void {
    this.count(slot.lane, slot.projectId, -1);
    this.endFresh(slot);
    this.wakeNext();
  }

  /** Asks no more. A slot that `who` was woken for goes to the next. */
  leave(who: object): void {
    for (const lane of lanes) this.waiting[lane].delete(who);
    this.wakeNext();
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
    if (slot.isFresh) this.count('fresh', slot.projectId, -1);
    slot.isFresh = false;
  }

  private hasRoom(lane: Lane, projectId: string): boolean {
    const fresh = this.used.fresh.get(projectId) ?? 0;
    if (fresh >= this.reserved.fresh && !this.hasShare('fresh', projectId)) return false;
    const { quick, slow } = this.used;
    if ((quick.get(projectId) ?? 0) + (slow.get(projectId) ?? 0) >= this.most) return false;
    return (this.used[lane].get(projectId) ?? 0) < this.reserved.each || this.hasShare(lane, projectId);
  }

  /** Whether a project has less than half of what there is, and not all of that is taken. */
  private hasShare(of: keyof typeof this.total, projectId: string): boolean {
    const own = this.used[of].get(projectId) ?? 0;
    return own < Math.floor(this.size[of] / 2) && this.total[of] < this.size[of];
  }

  /** Wakes the queue that has waited longest in the project with the fewest requests under way in its lane. */
  private wakeNext(): void {
    let next: { lane: Lane; who: object; wake: () => void; load: number } | null = null;
    for (const lane of lanes) {
      for (const [who, { projectId, wake }] of this.waiting[lane]) {
        const load = this.used[lane].get(projectId) ?? 0;
        if (load < (next?.load ?? Number.POSITIVE_INFINITY) && this.hasRoom(lane, projectId))
          next = { lane, who, wake, load };
      }
    }
    if (!next) return;
    this.waiting[next.lane].delete(next.who);
    queueMicrotask(next.wake);
  }

  private count(lane: keyof typeof this.total, projectId: string, change: number): void {
    const own = (this.used[lane].get(projectId) ?? 0) + change;
    if (own > 0) this.used[lane].set(projectId, own);
    else this.used[lane].delete(projectId);
    this.total[lane] += change;
  }
}
