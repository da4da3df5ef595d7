import type { Rest } from '@/server/delivery/later';

/** A project is alone when no other one had events for so long: those of a busy one come every few milliseconds. */
const aloneAfterMs = 100;
/** Beside other projects, deliveries that wait for their receivers anyway are stored so often. */
export const storeEveryMs = 50;

type Taken = {
  projectId: string | null;
  nextProject: string | null;
  /** Whether so many events of its project were taken as one may have at a time. */
  full: boolean;
};

/** What one turn tells the next: where to begin, and whether several projects have events at this time. */
export class Turns {
  /** The first project that the last turn did not come to; empty: it came to all from the first one on. */
  firstProject = '';
  /** When each project last had events, of those that had some a moment ago. */
  private readonly seen = new Map<string | null, number>();
  /** Until when projects are left out. */
  private readonly rests = new Map<string, number>();
  /** Projects whose events were left for later, and until when; null: in vain. */
  private readonly left = new Map<string, { until: number | null; over: () => boolean }>();
  /** Those of them that wait for room at their receivers. */
  private waiting = new Set<string>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  get shared(): boolean {
    for (const [projectId, at] of this.seen) if (this.now() - at >= aloneAfterMs) this.seen.delete(projectId);
    return this.seen.size > 1;
  }

  /** Forgets the rests that are over. @returns the projects that the next turn leaves out */
  endRests(): string[] {
    const { shared } = this;
    for (const [projectId, until] of this.rests) if (!shared || this.now() >= until) this.rests.delete(projectId);
    this.waiting = new Set([...this.left.keys()].filter((projectId) => !this.isOver(projectId)));
    return [...new Set([...this.rests.keys(), ...this.waiting])];
  }

  /** Whether events of a project may be left for later: not where that was in vain a moment ago. */
  mayLeave(projectId: string): boolean {
    const left = this.left.get(projectId);
    return left === undefined || (left.until !== null && left.over());
  }

  /** Whether events of a project wait for room at their receivers; without a project: of any. */
  waits(projectId?: string): boolean {
    return projectId === undefined ? this.waiting.size > 0 : this.waiting.has(projectId);
  }

  /** Whether some of them wait no more. */
  get hasRoom(): boolean {
    return [...this.waiting].some((projectId) => this.isOver(projectId));
  }

  private isOver(projectId: string): boolean {
    const { until = null, over } = this.left.get(projectId) ?? {};
    return until === null || this.now() >= until || (over?.() ?? true);
  }

  /** How long until the first of them is to be taken from again, in ms; null: none rests. */
  get restMs(): number | null {
    return this.rests.size > 0 ? Math.max(0, Math.min(...this.rests.values()) - this.now()) : null;
  }

  /**
   * Notes what a turn took. Deliveries of which none can be sent yet are in no hurry: beside other projects, a backlog of them
   * is left out of most turns, so that the others find short turns, and the processors free.
   */
  note(
    taken: readonly Taken[],
    claimed: readonly { owner: { projectId: string } }[],
    rests: readonly Rest[] = [],
  ): void {
    this.firstProject = taken[0]?.nextProject ?? '';
    const sent = new Set(claimed.map(({ owner }) => owner.projectId));
    const unsent = new Set(taken.map(({ projectId }) => projectId).filter((id) => id !== null && !sent.has(id)));
    for (const id of this.left.keys()) if (!this.waiting.has(id) && !unsent.has(id)) this.left.delete(id);
    for (const { projectId, ms, all, over } of rests) {
      // Where nothing of what was taken is sent, something holds it.
      const held = !all && !sent.has(projectId);
      this.left.set(projectId, { until: held ? null : this.now() + ms, over });
      if (!held) this.waiting.add(projectId);
    }
    for (const { projectId } of taken) this.seen.set(projectId, this.now());
    if (!this.shared) return;
    for (const { projectId, full } of taken) {
      if (projectId !== null && full && !sent.has(projectId) && !this.waits(projectId))
        this.rests.set(projectId, this.now() + storeEveryMs);
    }
  }
}
