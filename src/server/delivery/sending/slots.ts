/**
 * Requests that a process has under way. Receivers that answer late, or fail again and again, share the slots of a lane of
 * their own, and a project has at most half of a lane. Projects that together hold a whole lane keep nobody waiting either:
 * a project with few requests under way has slots beyond it.
 */
export type Lane = 'quick' | 'slow';

const perLane: Record<Lane, number> = { quick: 256, slow: 96 };
/** Requests that a project may have under way in a lane that is full, up to so many of all projects. */
const reserve = { each: 10, lane: 1_024 };

/** A request that takes longer is moved to the slow lane, with those that follow it to the same receiver. */
export const slowMs = 1_000;

/** One request's place in a lane. */
export type Slot = { lane: Lane; projectId: string };

type Waiting = { projectId: string; wake: () => void };

export class Slots {
  private readonly used: Record<Lane, Map<string, number>> = { quick: new Map(), slow: new Map() };
  private readonly total: Record<Lane, number> = { quick: 0, slow: 0 };
  private readonly waiting: Record<Lane, Map<object, Waiting>> = { quick: new Map(), slow: new Map() };

  constructor(
    private readonly size: Record<Lane, number> = perLane,
    private readonly reserved = reserve,
  ) {}

  /**
   * Takes a slot for a project.
   * @param who the queue that asks; `wake` is called when it should ask again
   * @returns null when there is none
   */
  take(lane: Lane, projectId: string, who: object, wake: () => void): Slot | null {
    if (!this.free(lane, projectId, who, wake)) return null;
    this.count(lane, projectId, 1);
    return { lane, projectId };
  }

  /** Whether `take` would succeed now; if not, `wake` is called when it may. */
  free(lane: Lane, projectId: string, who: object, wake: () => void): boolean {
    if (this.hasRoom(lane, projectId)) return true;
    this.waiting[lane].set(who, { projectId, wake });
    return false;
  }

  /** Moves a request to another lane, even where that is full: it is under way. */
  move(slot: Slot, lane: Lane): void {
    if (slot.lane === lane) return;
    this.release(slot);
    slot.lane = lane;
    this.count(lane, slot.projectId, 1);
  }

  release({ lane, projectId }: Slot): void {
    this.count(lane, projectId, -1);
    this.wakeNext(lane);
  }

  /** Asks no more. A slot that `who` was woken for goes to the next. */
  leave(who: object): void {
    for (const lane of ['quick', 'slow'] as const) {
      this.waiting[lane].delete(who);
      this.wakeNext(lane);
    }
  }

  private hasRoom(lane: Lane, projectId: string): boolean {
    const own = this.used[lane].get(projectId) ?? 0;
    const total = this.total[lane];
    if (own < this.reserved.each && total < this.reserved.lane) return true;
    return own < Math.floor(this.size[lane] / 2) && total < this.size[lane];
  }

  /** Wakes the queue that has waited longest in the project with the fewest requests under way. */
  private wakeNext(lane: Lane): void {
    if (this.waiting[lane].size === 0) return;
    const load = ([, each]: [object, Waiting]) => this.used[lane].get(each.projectId) ?? 0;
    const next = [...this.waiting[lane]].reduce((best, entry) => (load(entry) < load(best) ? entry : best));
    if (!this.hasRoom(lane, next[1].projectId)) return;
    this.waiting[lane].delete(next[0]);
    queueMicrotask(next[1].wake);
  }

  private count(lane: Lane, projectId: string, change: number): void {
    const own = (this.used[lane].get(projectId) ?? 0) + change;
    if (own > 0) this.used[lane].set(projectId, own);
    else this.used[lane].delete(projectId);
    this.total[lane] += change;
  }
}
