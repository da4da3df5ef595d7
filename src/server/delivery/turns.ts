import type { Rest } from '@/server/delivery/later';

/** A project is alone when no other one had events for so long: those of a busy one come every few milliseconds. */
const aloneAfterMs = 100;
/** Beside other projects, deliveries that wait for their receivers anyway are stored so often. */
export const storeEveryMs = 50;

/** So many whose projects a turn did not all come to are known to the next one. */
const maxKnown = 1_000;

type Taken = {
  projectId: string | null;
  /** Whose turn its event took, such as that of a block of addresses. */
  turn: string;
  nextTurn: string | null;
  nextProject: string | null;
  /** Whether so many events of its project were taken as one may have at a time. */
  full: boolean;
};

/** What one turn tells the next: where to begin, and whether several projects have events at this time. */
export class Turns {
  /**
   * Where the next turn begins: with whose events, and of each of these with which project. Empty, or missing: the last turn came to all
   * from the first one on.
   */
  readonly first = { turn: '', projects: new Map<string, string>() };
  /** When each project, and whoever's turn it takes, last had events, of those that had some a moment ago. */
  private readonly seen = { projects: new Map<string | null, number>(), turns: new Map<string, number>() };
  /** Until when projects are left out. */
  private readonly rests = new Map<string, number>();
  /** Whose turn each project takes, of those that are left out. */
  private readonly turnOf = new Map<string, string>();
  /** Projects whose events were left for later, and until when; null: in vain. */
  private readonly left = new Map<string, { until: number | null; over: () => boolean }>();
  /** Those of them that wait for room at their receivers. */
  private waiting = new Set<string>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  get shared(): { projects: boolean; turns: boolean } {
    const isShared = <Key>(seen: Map<Key, number>) => {
      for (const [key, at] of seen) if (this.now() - at >= aloneAfterMs) seen.delete(key);
      return seen.size > 1;
    };
    return { projects: isShared(this.seen.projects), turns: isShared(this.seen.turns) };
  }

  /** Forgets the rests that are over. @returns the projects that the next turn leaves out, and whose turns those would take */
  endRests(): { projects: string[]; turns: string[] } {
    const shared = this.shared.projects;
    for (const [projectId, until] of this.rests) if (!shared || this.now() >= until) this.rests.delete(projectId);
    this.waiting = new Set([...this.left.keys()].filter((projectId) => !this.isOver(projectId)));
    const projects = [...new Set([...this.rests.keys(), ...this.waiting])];
    const turns = new Map(projects.map((projectId) => [projectId, this.turnOf.get(projectId) ?? '']));
    for (const projectId of this.turnOf.keys()) if (!turns.has(projectId)) this.turnOf.delete(projectId);
    return { projects, turns: [...new Set(turns.values())] };
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
    this.first.turn = taken[0]?.nextTurn ?? '';
    if (this.first.projects.size >= maxKnown) this.first.projects.clear();
    for (const { turn, nextProject } of taken) {
      if (nextProject === null) this.first.projects.delete(turn);
      else this.first.projects.set(turn, nextProject);
    }
    const sent = new Set(claimed.map(({ owner }) => owner.projectId));
    const unsent = new Set(taken.map(({ projectId }) => projectId).filter((id) => id !== null && !sent.has(id)));
    for (const id of this.left.keys()) if (!this.waiting.has(id) && !unsent.has(id)) this.left.delete(id);
    for (const { projectId, ms, all, over } of rests) {
      // Where nothing of what was taken is sent, something holds it.
      const held = !all && !sent.has(projectId);
      this.left.set(projectId, { until: held ? null : this.now() + ms, over });
      if (!held) this.waiting.add(projectId);
    }
    for (const { projectId, turn } of taken) {
      this.seen.projects.set(projectId, this.now());
      this.seen.turns.set(turn, this.now());
      if (projectId !== null) this.turnOf.set(projectId, turn);
    }
    if (!this.shared.projects) return;
    for (const { projectId, full } of taken) {
      if (projectId !== null && full && !sent.has(projectId) && !this.waits(projectId))
        this.rests.set(projectId, this.now() + storeEveryMs);
    }
  }
}
