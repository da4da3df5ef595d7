import { isNews } from '@/server/limits/news';
import { logger } from '@/server/logger';

/**
 * Requests that a process has under way. Receivers that answer late, or fail again and again, share the slots of a lane of
 * their own, and a project has at most half of a lane. Projects that together hold a whole lane keep nobody waiting either:
 * a project with few requests under way has slots beyond it.
 */
export type Lane = 'quick' | 'slow';

/** How this process knows a receiver: it responds promptly, it is for the slow lane, or it has not responded yet. */
export type Standing = Lane | 'unknown';

const standings: readonly Standing[] = ['quick', 'unknown', 'slow'];
const laneOf: Record<Standing, Lane> = { quick: 'quick', unknown: 'quick', slow: 'slow' };
const perLane: Record<Lane, number> = { quick: 256, slow: 96 };
/** Requests that may be under way in both lanes together, those that moved to a full one included: of a project, and in all. */
const most = { ofProject: 256, all: 4_000 };
/**
 * Each has a file of the process until it ends, for minutes where its receiver hangs. So all projects with one turn may have this
 * part of what is left of `most.all`: 1,000 alone, and whoever comes next finds some however many there are. Receivers that
 * hang leave the rest of half of it to those of their turn that respond promptly.
 */
const partOfLeft: Record<Standing, number> = { quick: 1 / 2, unknown: 1 / 3, slow: 1 / 3 };
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
  private readonly waiting: Record<Standing, Map<string, Map<object, Waiting>>> = {
    quick: new Map(),
    unknown: new Map(),
    slow: new Map(),
  };

  constructor(
    private readonly size: Record<Lane | 'fresh', number> = { ...perLane, fresh: fresh.most },
    private readonly reserved = reserve,
    private readonly limits = most,
  ) {}

  /**
   * Takes a slot for a request of a project to a receiver.
   * @param who the queue that asks; `wake` is called when it should ask again
   * @returns null when there is none
   */
  take(standing: Standing, { projectId, turn }: Owner, who: object, wake: () => void): Slot | null {
    const owner = { projectId, turn };
    if (!this.free(standing, owner, who, wake)) return null;
    const lane = laneOf[standing];
    const slot = { lane, owner, isFresh: true, began: performance.now() };
    this.count(lane, owner, 1);
    this.count('fresh', owner, 1);
    this.begun.push(slot);
    return slot;
  }

  /** Whether `take` would succeed now; if not, `wake` is called when it may. A queue waits as its receiver stands now, and no more as it stood. */
  free(standing: Standing, { projectId, turn }: Owner, who: object, wake: () => void): boolean {
    this.age();
    const owner = { projectId, turn };
    for (const other of standings) if (other !== standing) this.forget(other, turn, who);
    if (this.hasRoom(standing, owner)) return true;
    if (this.isFull(standing, turn) && isNews(`requests of webhooks ${turn}`))
      logger.warn({ turn }, 'too many requests of webhooks are under way');
    const others = this.waiting[standing].get(turn) ?? new Map<object, Waiting>();
    this.waiting[standing].set(turn, others.set(who, { owner, wake }));
    this.lookLater();
    return false;
  }

  /** Whether projects with one turn have under way what they may have, whatever the lanes have left. What waits for that may wait for minutes. */
  isFull(standing: Standing, turn: string): boolean {
    const own = (this.ofTurn.quick.get(turn) ?? 0) + (this.ofTurn.slow.get(turn) ?? 0);
    const left = this.limits.all - this.total.quick - this.total.slow;
    return own >= left * partOfLeft[standing];
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
    for (const standing of standings)
      for (const turn of this.waiting[standing].keys()) this.forget(standing, turn, who);
    this.wakeNext();
  }

  private forget(standing: Standing, turn: string, who: object): void {
    const others = this.waiting[standing].get(turn);
    others?.delete(who);
    if (others?.size === 0) this.waiting[standing].delete(turn);
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
      if (standings.some((standing) => this.waiting[standing].size > 0)) this.lookLater();
    }, fresh.ms);
  }

  private endFresh(slot: Slot): void {
    if (slot.isFresh) this.count('fresh', slot.owner, -1);
    slot.isFresh = false;
  }

  private hasRoom(standing: Standing, { projectId, turn }: Owner): boolean {
    if (this.isFull(standing, turn)) return false;
    const lane = laneOf[standing];
    const fresh = this.used.fresh.get(projectId) ?? 0;
    const isReserved = fresh < this.reserved.fresh && this.hasReserve(turn);
    if (!isReserved && !this.hasShare('fresh', projectId)) return false;
    const { quick, slow } = this.used;
    if ((quick.get(projectId) ?? 0) + (slow.get(projectId) ?? 0) >= this.limits.ofProject) return false;
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
    let next: { standing: Standing; who: object; waiting: Waiting; ofTurn: number; load: number } | null = null;
    for (const standing of standings) {
      for (const [turn, others] of this.waiting[standing]) {
        const ofTurn = this.ofTurn.fresh.get(turn) ?? 0;
        if (next && ofTurn > next.ofTurn) continue;
        // Of a turn that can have nothing, which may be hundreds of queues, none is looked at.
        if (this.isFull(standing, turn)) continue;
        if (!this.hasReserve(turn) && this.total.fresh >= this.size.fresh) continue;
        for (const [who, waiting] of others) {
          const load = this.used[laneOf[standing]].get(waiting.owner.projectId) ?? 0;
          const isBetter = !next || ofTurn < next.ofTurn || load < next.load;
          if (isBetter && this.hasRoom(standing, waiting.owner)) next = { standing, who, waiting, ofTurn, load };
          if (next?.who === who && load === 0) break;
        }
      }
    }
    if (!next) return;
    this.forget(next.standing, next.waiting.owner.turn, next.who);
    queueMicrotask(next.waiting.wake);
  }

  private count(of: keyof typeof this.total, { projectId, turn }: Owner, change: number): void {
    add(this.used[of], projectId, change);
    add(this.ofTurn[of], turn, change);
    this.total[of] += change;
  }
}

/** Those of this process. */
export const slots = new Slots();
