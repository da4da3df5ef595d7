import { second } from '@/domain/time/durations';
import { type MailLine, openLine } from '@/server/email/mail-server';

/** After a refusal, the next connection is opened this much later. */
const pauseMs = second;
/** One more connection is allowed for each such time since the last refusal. */
const growMs = 5 * second;

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
