import { minute, second } from '@/domain/time/durations';
import { env } from '@/env';
import { type MailLine, openLine } from '@/server/email/mail-server';
import { logger } from '@/server/logger';

/** After a refusal, the next connection is opened this much later. */
const pauseMs = second;
/** One more connection is allowed for each such time since the last refusal. */
const growMs = 5 * second;

/** A mail server that takes nothing is asked again after this, with one email; and one that took some a moment ago. */
const serverPauseMs = { first: second, longest: 30 * second, longestOfRate: 4 * second };

/** So late an email may begin without the next one waiting longer for it: what looks for emails takes some time. */
const lateBeginMs = second / 10;
/** Emails that begin in this time may be claimed and wait for it, and two at least. All begin before their claim has lasted long. */
const aheadMs = second;
/** A server that refuses emails for longer than this after it took some was away, and does not show how many it takes. */
const longestRateMs = 3 * minute;
/** A refusal after fewer emails in a minute shows nothing. */
const leastTaken = 20;
/** After a refusal, so much of what the server took until it took the next email. */
const keptOfRate = 0.9;
/** What was learned is never less than one email in this time. */
const longestGapMs = second;
/** The rate is twice what was learned after this, and grows slowly at first, where the server is likely to refuse again. */
const rateGrowMs = 5 * minute;

/**
 * How many emails begin in a minute. Some mail servers take only so many and refuse all others for a while, whosever they are: while
 * there are more, they begin at even intervals, in the order in which they are claimed.
 */
export class Rate {
  private nextAt = Number.NEGATIVE_INFINITY;
  private readonly waiting = { asked: 0, caused: 0 };
  /** Emails that the server took in the last minute, by second. */
  private readonly taken = new Map<number, number>();
  /** Since the server refuses emails: how many it took in the minute before, and since when. */
  private refused: { taken: number; since: number } | null = null;
  private learned = { gapMs: 0, at: 0 };

  /** Milliseconds between two emails that begin; 0: no limit. */
  gapMs(): number {
    const set = env.SMTP_URL ? minute / env.SMTP_MAX_PER_MINUTE : 0;
    return Math.max(set, this.learned.gapMs / (1 + ((performance.now() - this.learned.at) / rateGrowMs) ** 2));
  }

  /** How many more emails may be claimed, and of those that people ask for, so that both kinds begin in turns. */
  room(): { all: number; asked: number } {
    const gapMs = this.gapMs();
    const most = gapMs > 0 ? Math.max(2, Math.floor(aheadMs / gapMs)) : Number.POSITIVE_INFINITY;
    const { asked, caused } = this.waiting;
    return { all: most - asked - caused, asked: Math.ceil(most / 2) - asked };
  }

  /** Whether the server took emails a moment ago and wants no more for now. */
  get refuses(): boolean {
    return this.refused !== null && performance.now() - this.refused.since < longestRateMs;
  }

  /** Ends when an email may begin. @param begin called then, if it had to wait */
  async turnOf(kind: 'asked' | 'caused', begin: () => void): Promise<void> {
    const gapMs = this.gapMs();
    if (gapMs === 0) return;
    const now = performance.now();
    const at = Math.max(this.nextAt, now - lateBeginMs);
    this.nextAt = at + gapMs;
    if (at <= now) return;
    this.waiting[kind] += 1;
    await new Promise((end) => setTimeout(end, at - now));
    this.waiting[kind] -= 1;
    begin();
  }

  noteTaken(): void {
    const now = performance.now();
    if (this.refused && now - this.refused.since < longestRateMs) this.learn(this.refused, now);
    this.refused = null;
    const at = Math.floor(now / second);
    this.taken.set(at, (this.taken.get(at) ?? 0) + 1);
    this.forget(now);
  }

  /** Notes that the server wants no more emails for the moment. */
  noteRefusal(): void {
    this.forget(performance.now());
    const [first] = this.taken.keys();
    if (this.refused || first === undefined) return;
    const taken = [...this.taken.values()].reduce((sum, count) => sum + count, 0);
    if (taken < leastTaken) return;
    this.refused = { taken, since: first * second };
  }

  private learn({ taken, since }: { taken: number; since: number }, now: number): void {
    const gapMs = Math.min(longestGapMs, (now - since) / (taken * keptOfRate));
    this.learned = { gapMs, at: now };
    const perMinute = Math.round(minute / gapMs);
    logger.info({ perMinute }, 'the mail server refused emails for a while; sending fewer in a minute');
  }

  private forget(now: number): void {
    for (const at of this.taken.keys()) if (at * second < now - minute) this.taken.delete(at);
  }
}

/**
 * The connections to the mail server. Some servers accept only a few of one client, and count those that we have closed until
 * they have done what we asked for there; a refusal while others work is no sign that the server is away.
 */
export class Connections {
  /** What was used last is at the end. */
  private readonly idle = new Set<MailLine>();
  private readonly used = new Set<MailLine>();
  private most = Number.POSITIVE_INFINITY;
  private refusedAt = Number.NEGATIVE_INFINITY;
  readonly rate = new Rate();

  /** @param mayHang whether the email may well end its connection: it leaves the last open one to others where it can have another */
  take(connections: number, mayHang: boolean): MailLine {
    const open = this.open();
    const closed = [...this.idle].filter(({ isOpen }) => !isOpen);
    const leaves = mayHang && open.length === 1 && this.used.size + 1 < connections;
    const line = (leaves ? undefined : open.at(-1)) ?? closed.at(-1) ?? openLine();
    this.idle.delete(line);
    this.used.add(line);
    return line;
  }

  giveBack(line: MailLine): void {
    this.used.delete(line);
    this.idle.add(line);
  }

  close(): void {
    for (const line of this.idle) line.close();
  }

  /** Whether the mail server works over any of them, those included that are being opened. */
  async work(): Promise<boolean> {
    const lines = [...this.idle, ...this.used];
    const anyWorks = () => lines.some(({ works }) => works);
    if (!anyWorks()) await Promise.all(lines.map(({ opening }) => opening));
    return anyWorks();
  }

  /** Notes that the server has refused a connection while others worked. Several that were opened together count once. */
  noteRefusal(connections: number): void {
    if (this.pause() > 0) return;
    this.most = Math.max(1, Math.floor(this.allowed(connections) / 2));
    this.refusedAt = performance.now();
  }

  /** How long nothing is sent, after so many emails in a row of which the server took nothing. */
  serverPause(failures: number): number {
    if (failures === 0) return 0;
    const { first, longest, longestOfRate } = serverPauseMs;
    return Math.min(first * 2 ** (failures - 1), this.rate.refuses ? longestOfRate : longest);
  }

  /** How long no connection is opened. */
  pause(): number {
    return Math.max(0, this.refusedAt + pauseMs - performance.now());
  }

  /**
   * For how many more emails there is room: where the server allows few connections, those at domains that are not prompt, which
   * can take long, do not count against the first of the others.
   * @param connections how many there may be at most
   * @param underWay how many emails are, and how many of them to domains that are not prompt
   */
  room(connections: number, underWay: { all: number; notPrompt: number }): number {
    const most = connections - underWay.all;
    const allowed = this.allowed(connections);
    if (allowed >= connections) return most;
    const open = Math.min(this.open().length, most);
    if (this.pause() > 0) return open;
    return Math.max(open, allowed - underWay.all, Math.min(most, underWay.notPrompt === underWay.all ? 1 : 0));
  }

  private allowed(connections: number): number {
    return Math.min(connections, this.most + Math.floor((performance.now() - this.refusedAt) / growMs));
  }

  private open(): MailLine[] {
    return [...this.idle].filter(({ isOpen }) => isOpen);
  }
}
