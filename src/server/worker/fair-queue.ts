import { refuse } from '@/server/errors';
import { beginWaiting } from './waiting';

/** A block of addresses, and a site in it. */
export type Origin = readonly [block: string, site: string];

/** Holds up those who have had their share of something that several queues use. */
export type Gate = {
  /** Whether more work of who a path leads to may begin: an owner, and steps of its callers. */
  isOpen: (path: readonly string[]) => boolean;
  /** Takes note of work that begins. @returns what ends that */
  begin: (origin: Origin, weight: number) => () => void;
  /** @param look has the queue look again whether work may begin */
  onOpen: (look: () => void) => void;
};

/** How much of its work a queue lets run at once, and how much may wait, by size. */
export type QueueLimits = {
  /** In all, of one owner, and of each step of its callers; without a limit where none is given. */
  running: readonly number[];
  /** The same of what has begun and not ended, where a turn can end before its work; without a limit where left out. */
  unfinished?: readonly number[];
  gate?: Gate;
  waiting: number;
  waitingOfOwner: number;
};

export type Turn = {
  /** Whose turn it takes: a project, for a use, or a block of addresses. */
  owner: string;
  /**
   * Who asks for it, in steps, such as network and account. Those of each step take turns too. Steps of one queue that begin
   * alike are equally many; the last is empty where nobody knows who it is.
   */
  caller?: readonly string[];
  /** What it takes to keep it waiting; 1 is a request without a body. */
  size?: number;
  /** As how many pieces it counts while it runs; 1 where it is one. */
  weight?: number;
  /** For whom its gate counts it; left out: the owner and the first step of the caller. */
  origin?: Origin;
  /** Takes work that still waits out of the queue, whose `run` rejects with the reason. */
  signal?: AbortSignal;
};

/** The size of a request with a body of so many bytes. */
export function sizeOfBody(bytes: number): number {
  return 1 + Math.floor(bytes / (16 * 1024));
}

type Waiting = {
  size: number;
  weight: number;
  origin: Origin;
  begin: (end: (() => void) | undefined) => void;
  drop: (reason: unknown) => void;
};

/** What waits: pieces, or the lines of those who take turns, of whom the first had its turn longest ago. */
type Line = { size: number; pieces: Waiting[]; lines: Map<string, Line> };

/** Seconds until someone who was refused may try again: what waits is done by then. */
const retryAfter = 3;

const emptyLine = (): Line => ({ size: 0, pieces: [], lines: new Map() });

/** The fullest of some lines, by name. */
function fullest(lines: ReadonlyMap<string, Line>): [string, Line] | null {
  let found: [string, Line] | null = null;
  for (const entry of lines) if (!found || entry[1].size > found[1].size) found = entry;
  return found;
}

/**
 * Lets so many pieces of work run at once, and so many of each owner; owners whose work waits take turns, and so do the
 * callers of each, so that one with a hundred pieces delays another by one of them. Where no more may wait, the newest piece
 * of the owner with the most waiting makes room, so that an owner that fills the queue is the one that is refused. What has begun ends.
 */
export class FairQueue {
  /** By path: of all the empty one. */
  private readonly running = new Map<string, number>();
  private readonly unfinished = new Map<string, number>();
  /** By owner, and by each step of the caller. */
  private readonly all = emptyLine();

  constructor(private readonly limits: QueueLimits) {
    limits.gate?.onOpen(() => this.size > 0 && this.next());
  }

  /** The size of what waits. */
  get size(): number {
    return this.all.size;
  }

  /**
   * Runs the work when it is its turn.
   * @param until when the turn ends; left out: with the work
   * @throws OVERLOADED (503) when too much waits, or a request has waited for too long
   */
  async run<Result>(
    turn: Turn,
    work: () => Promise<Result>,
    until: (begun: Promise<Result>) => Promise<unknown> = (begun) => begun,
  ): Promise<Result> {
    const { owner, caller = [], size = 1, weight = 1, signal } = turn;
    const path = [owner, ...caller];
    const origin: Origin = turn.origin ?? [owner, caller[0] ?? owner];
    signal?.throwIfAborted();
    let piece: Waiting | undefined;
    const endWaiting = beginWaiting(() => this.take(path, piece)?.drop(refuse('OVERLOADED', { retryAfter })));
    let leaveGate: (() => void) | undefined;
    try {
      leaveGate = await new Promise<(() => void) | undefined>((begin, drop) => {
        this.makeRoom(path, size);
        piece = { size, weight, origin, begin, drop };
        this.add(path, piece);
        signal?.addEventListener('abort', () => this.take(path, piece)?.drop(signal.reason), { once: true });
        this.next();
      });
    } finally {
      endWaiting();
    }
    const begun = work();
    const end = () => {
      this.count(this.unfinished, path, -1);
      this.next();
    };
    begun.then(end, end);
    try {
      await until(begun);
    } finally {
      leaveGate?.();
      this.count(this.running, path, -weight);
      this.next();
    }
    return begun;
  }

  private add(path: string[], piece: Waiting): void {
    let line = this.all;
    line.size += piece.size;
    for (const name of path) {
      const within = line.lines.get(name) ?? emptyLine();
      line.lines.set(name, within);
      within.size += piece.size;
      line = within;
    }
    line.pieces.push(piece);
  }

  /** Takes a piece out. @returns null when it no longer waits */
  private take(path: string[], piece: Waiting | undefined): Waiting | null {
    const lines = [this.all];
    for (const name of path) {
      const within = lines.at(-1)?.lines.get(name);
      if (!within) return null;
      lines.push(within);
    }
    const pieces = lines.at(-1)?.pieces ?? [];
    const at = piece ? pieces.indexOf(piece) : -1;
    if (!piece || at === -1) return null;
    pieces.splice(at, 1);
    for (const [step, line] of lines.entries()) {
      line.size -= piece.size;
      if (line.size === 0) lines[step - 1]?.lines.delete(path[step - 1] ?? '');
    }
    return piece;
  }

  /** Makes room for what a caller adds, or refuses it if nobody else has more waiting. */
  private makeRoom([owner = '', ...caller]: string[], size: number): void {
    for (;;) {
      const line = this.all.lines.get(owner);
      if (!line || line.size + size <= this.limits.waitingOfOwner) break;
      this.dropFrom(line, [owner], caller, size);
    }
    while (this.size + size > this.limits.waiting) this.dropFrom(this.all, [], [owner, ...caller], size);
  }

  /**
   * Drops the newest piece of the fullest line, of those who have more waiting in a line than the caller.
   * @param path to the line
   * @param rest from the line to the caller's own
   */
  private dropFrom(line: Line, path: string[], rest: string[], size: number): void {
    const [name, most] = fullest(line.lines) ?? ['', null];
    const [own = '', ...further] = rest;
    if (most && name === own && further.length > 0) {
      this.dropFrom(most, [...path, name], further, size);
      return;
    }
    const ownSize = line.lines.get(own)?.size ?? 0;
    if (!most || name === own || most.size <= ownSize + size) throw refuse('OVERLOADED', { retryAfter });
    let last = most;
    const steps = [...path, name];
    for (let next = fullest(last.lines); next; next = fullest(last.lines)) {
      steps.push(next[0]);
      last = next[1];
    }
    this.take(steps, last.pieces.at(-1))?.drop(refuse('OVERLOADED', { retryAfter }));
  }

  private count(counts: Map<string, number>, path: string[], by: number): void {
    const steps = Math.max(this.limits.running.length, this.limits.unfinished?.length ?? 0);
    for (let step = 0; step <= path.length && step < steps; step += 1) {
      const key = path.slice(0, step).join(' ');
      const left = (counts.get(key) ?? 0) + by;
      if (left > 0) counts.set(key, left);
      else counts.delete(key);
    }
  }

  /** Whether who a path leads to may have one more running. */
  private hasRoom(path: string[]): boolean {
    const { running, unfinished } = this.limits;
    const isBelow = (limit: number | undefined, counts: Map<string, number>) =>
      limit === undefined || (counts.get(path.join(' ')) ?? 0) < limit;
    if (path.at(-1) === '') return true;
    return isBelow(running[path.length], this.running) && isBelow(unfinished?.[path.length], this.unfinished);
  }

  /** The piece whose turn it is, of the first of each line that may have one more running, and its path. */
  private findNext(line: Line, path: string[]): { path: string[]; piece: Waiting } | null {
    const [piece] = line.pieces;
    if (piece) return { path, piece };
    for (const [name, within] of line.lines) {
      const further = [...path, name];
      const mayBegin = this.hasRoom(further) && (this.limits.gate?.isOpen(further) ?? true);
      const found = mayBegin ? this.findNext(within, further) : null;
      if (found) return found;
    }
    return null;
  }

  /** Sends whoever has had a turn behind the others, in each line on the way. */
  private moveBack(path: string[]): void {
    let line: Line | undefined = this.all;
    for (const name of path) {
      const within: Line | undefined = line.lines.get(name);
      if (!within) return;
      line.lines.delete(name);
      line.lines.set(name, within);
      line = within;
    }
  }

  private next(): void {
    while (this.hasRoom([])) {
      const found = this.findNext(this.all, []);
      if (!found) return;
      const { path, piece } = found;
      this.take(path, piece);
      this.moveBack(path);
      this.count(this.running, path, piece.weight);
      this.count(this.unfinished, path, 1);
      piece.begin(this.limits.gate?.begin(piece.origin, piece.weight));
    }
  }
}
