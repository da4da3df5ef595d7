import type { ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { abort, overloaded } from '@/server/http/sockets/abort';
import { readingOf } from '@/server/http/sockets/slow-readers';

/** Milliseconds that a page may take while others wait for its place. */
const keepsPlaceMs = 10_000;

/**
 * The same of one that waits for its reader, if that reads fewer bytes a second than any phone does, or the others have fewer
 * pages. For less than that a reader can seem to stand still: the operating system takes what it sends in large pieces.
 */
const slowKeepsPlaceMs = 3_000;
const slowPace = 4 * 1024;

/** Milliseconds between looks whether somebody who waits can have a place. */
const lookMs = 100;

type Page = { res: ServerResponse; at: number };

/** Pages that have begun and not ended, the oldest first, or the lines of those who have them. */
type Line = { count: number; pages: Set<Page>; lines: Map<string, Line> };

const emptyLine = (): Line => ({ count: 0, pages: new Set(), lines: new Map() });

/** Whether a page has had its place for long enough. */
function mayBeClosed({ res, at }: Page, isOfMore: boolean, now: number): boolean {
  if (now - at > keepsPlaceMs) return true;
  const reading = res.socket && readingOf(res.socket, now);
  return reading !== null && reading.ms >= slowKeepsPlaceMs && (isOfMore || reading.pace < slowPace);
}

/**
 * The places of pages that have begun and not ended, each of which may have a reader who takes it slowly or never. Where none is
 * left, whoever has most of them makes room for those who have fewer and wait.
 */
export class Places {
  private readonly all = emptyLine();
  /** Who waits, by path. */
  private readonly waiting = new Map<string, { count: number; timer: NodeJS.Timeout }>();

  /** @param limits in all, and of each step of those who ask */
  constructor(readonly limits: readonly number[]) {}

  /** Takes note that somebody waits for a place. @returns what ends that */
  wait(path: readonly string[]): () => void {
    const key = path.join(' ');
    const same = this.waiting.get(key) ?? { count: 0, timer: setInterval(() => this.makeRoom(path), lookMs) };
    this.waiting.set(key, same);
    same.count += 1;
    let waits = true;
    return () => {
      if (!waits) return;
      waits = false;
      same.count -= 1;
      if (same.count > 0) return;
      clearInterval(same.timer);
      this.waiting.delete(key);
    };
  }

  /** Takes note of a page that begins. @returns what ends that */
  take(path: readonly string[], page: Page): () => void {
    const lines = [this.all];
    for (const name of path) {
      const line = lines.at(-1)?.lines.get(name) ?? emptyLine();
      lines.at(-1)?.lines.set(name, line);
      lines.push(line);
    }
    lines.at(-1)?.pages.add(page);
    for (const line of lines) line.count += 1;
    return () => {
      lines.at(-1)?.pages.delete(page);
      for (const [step, line] of lines.entries()) {
        line.count -= 1;
        if (line.count === 0) lines[step - 1]?.lines.delete(path[step - 1] ?? '');
      }
    };
  }

  /** Closes a page for somebody who waits, if all places on their way are taken: the slowest of whoever has most. */
  private makeRoom(path: readonly string[]): void {
    let line = this.all;
    let [isFull, isOwn, isOfMore] = [false, true, false];
    for (const [step, name] of path.entries()) {
      isFull ||= line.count >= (this.limits[step] ?? Number.POSITIVE_INFINITY);
      const own = (isOwn && line.lines.get(name)) || emptyLine();
      const most = isFull
        ? [...line.lines.values()].reduce((one, other) => (other.count > one.count ? other : one), own)
        : own;
      if (isOwn && most.count > own.count + 1) isOfMore = true;
      isOwn &&= most === own;
      line = most;
    }
    if (!isFull) return;
    const now = performance.now();
    const pace = ({ res }: Page) => (res.socket && readingOf(res.socket, now)?.pace) ?? 0;
    const [slowest] = [...line.pages]
      .filter((page) => mayBeClosed(page, isOfMore, now))
      .sort((one, other) => pace(one) - pace(other));
    if (!slowest) return;
    const { res } = slowest;
    if (res.socket && !res.headersSent) abort(res.socket, overloaded);
    else res.destroy();
  }
}
