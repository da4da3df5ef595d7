import { claimDue } from '@/server/delivery/attempts/claim';
import type { ClaimedAttempt } from '@/server/delivery/attempts/prepare';
import { freeLostEvents } from '@/server/delivery/attempts/unstored';
import { drainQueue } from '@/server/delivery/drain-queue';
import { type FanOut, perProject, takeEvents } from '@/server/delivery/fan-out';
import type { Receivers } from '@/server/delivery/later';
import { findStalledQueues, type NextRun, nextRun, readQueue } from '@/server/delivery/queue/queue';
import { catchUp, claimable, type QueueOwner, QueueSender } from '@/server/delivery/sending/send-queue';
import {
  closeWorker,
  freeClaimsOfTheDead,
  openWorker,
  senderName,
  triggerDelivery,
} from '@/server/delivery/sending/worker';
import { Turns } from '@/server/delivery/turns';
import { type EventEmails, EventEmailWriter } from '@/server/email/event-emails';
import { freeEmailsOfTheDead, senderIdle, startSender, stopSender } from '@/server/email/sender';
import { announceEvents } from '@/server/events/emit';
import { onDomainEvent } from '@/server/events/live';
import { inngest } from '@/server/jobs/client';
import { Batcher } from '@/server/jobs/embedded/batcher';
import { pause } from '@/server/jobs/embedded/database';
import { webhookDeliveriesDue } from '@/server/jobs/events';
import { logger } from '@/server/logger';

/** Looks for events even without a notice: the process that had to announce them may have died. */
const pollMs = 2_000;
/** Nobody has announced an event that is taken so late, and the pages of other processes wait for it too. */
const unannouncedMs = 1_500;
/** Those of this time are announced together, since a backlog has many. */
const lateMs = 200;
const maxLate = 1_000;
/** While events keep coming, those of this time are taken together. */
const gatherMs = 4;
/** Whether receivers have room for events that wait for it is looked at so often. */
const lookMs = 2;
const errorPauseMs = 1_000;
/** What the mail server has not taken within this time of a stop is sent again. */
const emailGraceMs = 5_000;
/** Queues are looked for whose wake-up was lost this often, and so long after they were due. */
const sweepMs = 15_000;
/** What processes that died had in hand is taken over this often. */
const takeOverMs = 2_000;
/** A run that ended is followed by another within this time; until then the process goes on. */
const lingerMs = 15_000;
/** A queue that is due sooner is run without an event in between. */
const soonMs = 1_500;
/** Due times are rounded up to this, so that failures spread over a second are retried in a few batches. */
const wakeGridMs = 250;
/** Failures of this time are scheduled together. */
const planMs = 200;
/** A queue that is still due is run again after this. */
const minPauseMs = 20;
const maxSwept = 500;

type Task = { again: boolean; sender: QueueSender | null; rest: AbortController };

/**
 * What sends the webhooks and emails of a process, for as long as a run of the function `webhook-drain` carries it:
 * takes events as they are committed, makes and claims their deliveries in one statement, sends them, and writes the
 * results of many at a time.
 */
class Drain {
  /** Senders of deliveries that were claimed as they were made. */
  private readonly senders = new Map<string, QueueSender>();
  /** Queues that are read from the database: retries, backlogs, rate limits, breakers. */
  private readonly tasks = new Map<string, Task>();
  private readonly planned = new Set<string>();
  private until = Number.NEGATIVE_INFINITY;
  private loop: Promise<void> | null = null;
  private sweepTimer: NodeJS.Timeout | undefined;
  private takeOverTimer: NodeJS.Timeout | undefined;
  private readonly turns = new Turns();
  private wanted = false;
  private taking = false;
  private wake: () => void = () => undefined;
  private emails: EventEmailWriter | null = null;
  private carriers = 0;
  private ended: () => void = () => undefined;
  stopping = false;

  /** Whether it takes events now. */
  get active(): boolean {
    return !this.stopping && performance.now() < this.until;
  }

  /** Whether nothing is under way. */
  get idle(): boolean {
    const writing = this.emails !== null && !this.emails.idle;
    const taking = this.loop !== null && (this.taking || this.wanted || this.turns.waits());
    return !writing && !taking && this.senders.size === 0 && this.tasks.size === 0;
  }

  async carry(ms: number, emails: EventEmails | null): Promise<boolean> {
    if (this.stopping || this.carriers > 0) return false;
    this.carriers += 1;
    if (emails) this.emails ??= new EventEmailWriter(emails);
    this.until = performance.now() + ms + lingerMs;
    try {
      await openWorker((subscriptionId) => this.run(subscriptionId));
      if (emails) startSender(senderName);
      this.loop ??= this.takeAll().finally(() => {
        this.loop = null;
      });
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.ended = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      return !this.stopping;
    } finally {
      this.carriers -= 1;
    }
  }

  /** Stops taking, lets requests under way end, and gives back what was not sent. */
  async stop(graceMs: number): Promise<void> {
    this.stopping = true;
    this.ended();
    this.wake();
    const emailsSent = stopSender(emailGraceMs);
    await this.loop;
    for (const sender of this.senders.values()) sender.stop();
    for (const task of this.tasks.values()) {
      task.sender?.stop();
      task.rest.abort();
    }
    const end = performance.now() + graceMs;
    while (!this.idle && performance.now() < end) await pause(10);
    // Others take over what is still claimed once the connection is closed.
    await emailsSent;
    await closeWorker();
    this.until = Number.NEGATIVE_INFINITY;
    this.stopping = false;
  }

  nudge(): void {
    this.wanted = true;
    this.wake();
  }

  private async takeAll(): Promise<void> {
    const stopListening = onDomainEvent(({ id, type }) => {
      if (id !== '' || type === 'live.resumed') this.nudge();
    });
    void this.takeOver();
    void this.sweep(0);
    this.takeOverTimer = setInterval(() => void this.takeOver(), takeOverMs);
    this.sweepTimer = setInterval(() => void this.sweep(sweepMs / 1000), sweepMs);
    while (this.active) {
      let more = false;
      this.wanted = false;
      this.taking = true;
      try {
        const taken = await takeEvents(this.receivers, this.emails?.types ?? [], this.turns);
        this.dispatch(taken);
        more = taken.more;
        await catchUp(taken.due.map((id) => this.senders.get(id) ?? this.tasks.get(id)?.sender));
        // A busy time shows in events that came while others were taken; a backlog is not waited for.
        if (this.wanted && taken.events.length > 0 && taken.events.length < perProject.shared) await pause(gatherMs);
      } catch (error) {
        logger.warn({ err: error }, 'could not take domain events; will try again');
        await pause(errorPauseMs);
        this.wanted = true;
      }
      this.taking = false;
      if (!more && !this.wanted && this.active) await this.rest();
    }
    stopListening();
    clearInterval(this.sweepTimer);
    clearInterval(this.takeOverTimer);
    void stopSender(emailGraceMs);
  }

  private rest(): Promise<void> {
    return new Promise((resolve) => {
      const look = this.turns.waits() ? setInterval(() => this.turns.hasRoom && this.wake(), lookMs) : undefined;
      const timer = setTimeout(() => this.wake(), Math.min(pollMs, this.turns.restMs ?? pollMs));
      this.wake = () => {
        clearInterval(look);
        clearTimeout(timer);
        resolve();
      };
      if (this.wanted) this.wake();
    });
  }

  private readonly receivers: Receivers = {
    room: (subscriptionId) => {
      if (this.tasks.has(subscriptionId)) return 0;
      return this.senders.get(subscriptionId)?.room ?? claimable(subscriptionId);
    },
    soon: (subscriptionId) =>
      !this.tasks.has(subscriptionId) && (this.senders.get(subscriptionId)?.soonFree ?? claimable(subscriptionId) > 0),
    sending: (subscriptionId) => this.senders.has(subscriptionId),
  };

  private dispatch({ events, claimed, due }: FanOut): void {
    for (const event of events) {
      if (+event.sentAt - +event.occurredAt > unannouncedMs) void lateEvents.add(event);
    }
    for (const { owner, attempts } of claimed) {
      const open = this.senders.get(owner.id);
      if (open?.accepts) open.start(attempts);
      else this.open(owner, attempts);
    }
    for (const subscriptionId of due) this.run(subscriptionId);
    this.emails?.add(events.filter(({ attempted }) => attempted === null));
  }

  private open(owner: QueueOwner, attempts: ClaimedAttempt[]): void {
    const subscriptionId = owner.id;
    const sender = new QueueSender(owner, claimDue, false, { onFailed: () => this.plan(subscriptionId) });
    this.senders.set(subscriptionId, sender);
    sender.start(attempts).done.then(
      ({ clean }) => {
        if (this.senders.get(subscriptionId) === sender) this.senders.delete(subscriptionId);
        // Retries, a breaker, or deliveries that nobody has claimed: the queue's own row says what is next.
        if (!clean) this.run(subscriptionId);
      },
      (error: unknown) => {
        if (this.senders.get(subscriptionId) === sender) this.senders.delete(subscriptionId);
        logger.warn({ err: error, subscriptionId }, 'could not store results; what was not stored is sent again');
      },
    );
  }

  /** While deliveries keep coming, a sender does not end: what failed is scheduled in between. */
  private plan(subscriptionId: string): void {
    if (this.planned.has(subscriptionId)) return;
    this.planned.add(subscriptionId);
    setTimeout(async () => {
      this.planned.delete(subscriptionId);
      if (!this.senders.has(subscriptionId)) return;
      try {
        const next = nextRun(await readQueue(subscriptionId));
        if (next && next.inMs > soonMs) await scheduleRun(subscriptionId, next);
        else if (next) setTimeout(() => this.run(subscriptionId), Math.max(next.inMs, 0));
      } catch (error) {
        logger.warn({ err: error, subscriptionId }, 'could not schedule a retry; the sweep will find it');
      }
    }, planMs);
  }

  /** Runs the queue of a subscription from the database, once more if it is being run. */
  run(subscriptionId: string): void {
    const task = this.tasks.get(subscriptionId);
    const sender = this.senders.get(subscriptionId);
    if (task) {
      task.again = true;
      task.rest.abort();
    } else if (sender) sender.expect();
    else if (!this.stopping) {
      const added: Task = { again: true, sender: null, rest: new AbortController() };
      this.tasks.set(subscriptionId, added);
      this.perform(subscriptionId, added)
        .catch((error: unknown) => logger.warn({ err: error, subscriptionId }, 'could not run a queue; will try again'))
        .finally(() => this.tasks.delete(subscriptionId));
    }
  }

  private async perform(subscriptionId: string, task: Task): Promise<void> {
    while (!this.stopping) {
      task.again = false;
      const next = await drainQueue(subscriptionId, (sender) => {
        task.sender = sender;
        if (this.stopping) sender.stop();
      });
      if (task.again) continue;
      if (next === null || this.stopping) return;
      if (next.inMs <= soonMs) {
        task.rest = new AbortController();
        await pause(Math.max(next.inMs, minPauseMs), task.rest.signal);
        continue;
      }
      await scheduleRun(subscriptionId, next);
      if (!task.again) return;
    }
  }

  private async takeOver(): Promise<void> {
    void this.emails?.sweep();
    // Until its own lock is there again, this process would take itself for dead.
    if (senderName() === null) return;
    try {
      for (const subscriptionId of await freeClaimsOfTheDead()) this.run(subscriptionId);
      if (await freeLostEvents()) this.nudge();
      if (this.emails) await freeEmailsOfTheDead();
    } catch (error) {
      logger.warn({ err: error }, 'could not take over from processes that died; will try again');
    }
  }

  /** Runs queues whose wake-up was lost. */
  private async sweep(afterSeconds: number): Promise<void> {
    try {
      const stalled = await findStalledQueues(afterSeconds, maxSwept);
      for (const subscriptionId of stalled) if (!this.tasks.has(subscriptionId)) this.run(subscriptionId);
    } catch (error) {
      logger.warn({ err: error }, 'could not look for queues that were left behind; will try again');
    }
  }
}

const announceLate = async (events: FanOut['events']): Promise<true[]> => {
  announceEvents(events);
  return events.map(() => true);
};
const lateEvents = new Batcher(maxLate, announceLate, { gatherMs: lateMs });

/** Has a queue run later, by an event that survives this process. */
async function scheduleRun(subscriptionId: string, { at, turn }: NextRun): Promise<void> {
  const wakeAt = new Date(Math.ceil(Date.parse(at) / wakeGridMs) * wakeGridMs).toISOString();
  // The id drops the event where another process has scheduled the same time already.
  const id = `${subscriptionId}:${wakeAt}`;
  await inngest.send(webhookDeliveriesDue.create({ subscriptionId, at: wakeAt, turn }, { id }));
}

const drain = new Drain();

/**
 * Sends this process's webhooks and emails for `ms`. A run of `webhook-drain` calls it in each of its steps.
 * @param emails writes emails about events; null: it sends webhooks only
 * @returns false when the process sends already, or stops
 */
export const carryDrain = (ms: number, emails: EventEmails | null): Promise<boolean> => drain.carry(ms, emails);

/** Whether this process sends webhooks now. */
export const drainActive = (): boolean => drain.active;

/** Whether it has nothing to send. */
export const drainIdle = (): boolean => drain.idle && senderIdle();

/** Stops sending: requests under way end within `graceMs`, the rest is given back. */
export const stopDrain = (graceMs: number): Promise<void> => drain.stop(graceMs);

/** Has the queue of a subscription run: by this process if it sends, otherwise by one that does. */
export async function wakeQueue(subscriptionId: string): Promise<void> {
  if (drain.active) drain.run(subscriptionId);
  else await triggerDelivery([subscriptionId]);
}
