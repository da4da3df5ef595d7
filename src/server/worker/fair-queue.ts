import { refuse } from '@/server/errors';

/** How much of its work a queue lets run at once, and how much may wait, by size. */
export type QueueLimits = {
  running: number;
  runningOfOwner: number;
  /** Of one known caller of an owner; as much as of the owner unless given. */
  runningOfCaller?: number;
  waiting: number;
  waitingOfOwner: number;
};

export type Turn = {
  /** Whose turn it takes: a project, for a use. */
  owner: string;
  /** Who asks for it, if known; the callers of an owner take turns too. */
  caller?: string;
  /** What it takes to keep it waiting; 1 is a request without a body. */
  size?: number;
  /** As how many pieces it counts while it runs; 1 where it is one. */
  weight?: number;
  /** Takes work that still waits out of the queue, whose `run` rejects with the reason. */
  signal?: AbortSignal;
};

/** The size of a request with a body of so many bytes. */
export function sizeOfBody(bytes: number): number {
  return 1 + Math.floor(bytes / (16 * 1024));
}

type Waiting = { size: number; weight: number; begin: () => void; drop: (reason: unknown) => void };
type Line = { size: number; callers: Map<string, { size: number; list: Waiting[] }> };

/** Seconds until someone who was refused may try again: what waits is done by then. */
const retryAfter = 3;

/** The fullest of some lines, by name. */
function fullest<Entry extends { size: number }>(lines: ReadonlyMap<string, Entry>): [string, Entry] | null {
  let found: [string, Entry] | null = null;
  for (const entry of lines) if (!found || entry[1].size > found[1].size) found = entry;
  return found;
}

/**
 * Lets so many pieces of work run at once, and so many of each owner; owners whose work waits take turns, and so do the
 * callers of each, so that one with a hundred pieces delays another by one of them. Where no more may wait, the newest piece
 * of the owner with the most waiting makes room, so that an owner that fills the queue is the one that is refused. What has begun ends.
 */
export class FairQueue {
  private running = 0;
  /** What waits. */
  size = 0;
  private readonly runningOf = new Map<string, number>();
  private readonly runningOfCaller = new Map<string, number>();
  /** By owner and caller, the one that had its turn longest ago first. */
  private readonly lines = new Map<string, Line>();

  constructor(private readonly limits: QueueLimits) {}

  /**
   * Runs the work when it is its turn.
   * @throws OVERLOADED (503) when too much waits
   */
  async run<Result>(turn: Turn, work: () => Promise<Result>): Promise<Result> {
    const { owner, caller = '', size = 1, weight = 1, signal } = turn;
    signal?.throwIfAborted();
    await new Promise<void>((begin, drop) => {
      this.makeRoom(owner, caller, size);
      const piece: Waiting = { size, weight, begin, drop };
      this.add(owner, caller, piece);
      signal?.addEventListener('abort', () => this.take(owner, caller, piece)?.drop(signal.reason), { once: true });
      this.next();
    });
    try {
      return await work();
    } finally {
      this.count(owner, caller, -weight);
      this.next();
    }
  }

  private add(owner: string, caller: string, piece: Waiting): void {
    const line = this.lines.get(owner) ?? { size: 0, callers: new Map() };
    const own = line.callers.get(caller) ?? { size: 0, list: [] };
    own.list.push(piece);
    line.callers.set(caller, own);
    this.lines.set(owner, line);
    for (const each of [own, line, this]) each.size += piece.size;
  }

  /** Takes a piece out. @returns null when it no longer waits */
  private take(owner: string, caller: string, piece: Waiting | undefined): Waiting | null {
    const line = this.lines.get(owner);
    const own = line?.callers.get(caller);
    const at = piece && own ? own.list.indexOf(piece) : -1;
    if (!line || !own || !piece || at === -1) return null;
    own.list.splice(at, 1);
    for (const each of [own, line, this]) each.size -= piece.size;
    if (own.list.length === 0) line.callers.delete(caller);
    if (line.callers.size === 0) this.lines.delete(owner);
    return piece;
  }

  /** Makes room for what a caller adds, or refuses it if nobody else has more waiting. */
  private makeRoom(owner: string, caller: string, size: number): void {
    const refusal = () => refuse('OVERLOADED', { retryAfter });
    const sizeOf = (line: Line | undefined) => line?.callers.get(caller)?.size ?? 0;
    const dropNewest = (from: string, line: Line) => {
      const [name, { list }] = fullest(line.callers) ?? ['', { list: [] }];
      this.take(from, name, list.at(-1))?.drop(refusal());
    };
    for (;;) {
      const line = this.lines.get(owner);
      if (!line || line.size + size <= this.limits.waitingOfOwner) break;
      const [name, most] = fullest(line.callers) ?? ['', { size: 0 }];
      if (name === caller || most.size <= sizeOf(line) + size) throw refusal();
      dropNewest(owner, line);
    }
    while (this.size + size > this.limits.waiting) {
      const [name, line] = fullest(this.lines) ?? [owner, null];
      if (!line || name === owner || line.size <= (this.lines.get(owner)?.size ?? 0) + size) throw refusal();
      dropNewest(name, line);
    }
  }

  private count(owner: string, caller: string, by: number): void {
    this.running += by;
    add(this.runningOf, owner, by);
    add(this.runningOfCaller, `${owner} ${caller}`, by);
  }

  /** The caller whose turn it is: the first that has not as much running as one may have. */
  private nextCaller(owner: string, { callers }: Line): string | undefined {
    const { runningOfOwner, runningOfCaller = runningOfOwner } = this.limits;
    for (const caller of callers.keys()) {
      if (caller === '' || (this.runningOfCaller.get(`${owner} ${caller}`) ?? 0) < runningOfCaller) return caller;
    }
    return undefined;
  }

  private next(): void {
    for (const [owner, line] of this.lines) {
      if (this.running >= this.limits.running) return;
      if ((this.runningOf.get(owner) ?? 0) >= this.limits.runningOfOwner) continue;
      const caller = this.nextCaller(owner, line);
      if (caller === undefined) continue;
      const piece = this.take(owner, caller, line.callers.get(caller)?.list[0]);
      // Behind the others.
      moveToEnd(line.callers, caller);
      moveToEnd(this.lines, owner);
      this.count(owner, caller, piece?.weight ?? 0);
      piece?.begin();
    }
  }
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const left = (counts.get(key) ?? 0) + by;
  if (left > 0) counts.set(key, left);
  else counts.delete(key);
}

function moveToEnd<Entry>(map: Map<string, Entry>, key: string): void {
  const entry = map.get(key);
  if (entry === undefined) return;
  map.delete(key);
  map.set(key, entry);
}
