import { setTimeout as pause } from 'node:timers/promises';
import { releaseClaims } from '@/server/delivery/attempts/claim';
import type { FinishedAttempt, SubscriptionChange } from '@/server/delivery/attempts/complete';
import type { ClaimedAttempt } from '@/server/delivery/attempts/prepare';
import { writeResult } from '@/server/delivery/attempts/result-writer';
import { storeClaimed } from '@/server/delivery/attempts/unstored';
import { maxConcurrentRequests } from '@/server/delivery/breaker';
import { webhookAgent } from '@/server/delivery/outbound/policy';
import { post, type RequestResult } from '@/server/delivery/outbound/post';
import { failingFrom } from '@/server/delivery/queue/next-run';
import { noteOwner } from '@/server/delivery/queue/statement-turns';
import { redactEchoes } from '@/server/delivery/request/credentials';
import { handshakes, ordinaryMs } from '@/server/delivery/sending/handshakes';
import { InHand } from '@/server/delivery/sending/in-hand';
import { keptResponse } from '@/server/delivery/sending/kept-responses';
import { type Standing, slots, slowMs } from '@/server/delivery/sending/slots';
import { cancelWithSubscription } from '@/server/delivery/sending/under-way';
import { logger } from '@/server/logger';
import { observeWebhookAttempt } from '@/server/metrics';

/** Requests to one receiver at a time, and as long as it has not answered one in time. */
const maxParallel = { known: 10, unknown: 2 };
/** Deliveries claimed at a time: few at first, and twice as many each time the batch before took less than `quickMs`. */
export const batchSize = { min: 20, max: 200, quickMs: 250 };
/** A claim that waited this long is released: its lease is meant for the request. */
const staleMs = 3_000;
/** What a receiver takes in this time, by what is known of it, is claimed as it is made, and no more. */
const inHandMs = 1_500;
/**
 * Deliveries that are claimed and wait for their requests: of a receiver that is not known yet, and of any. Few, so that what
 * takes the events of a burst leaves the processors to what sends them.
 */
const maxInHand = { unknown: batchSize.min, each: 400 };
/**
 * Deliveries in hand of a receiver whose claims had to be released, and one more for each success since: whatever it responds,
 * little more is claimed in vain than is delivered.
 */
const leadAfterRelease = 2;
/** A receiver that usually responds in this time works off its queue quickly. */
const promptMs = 20;
/** One that usually responds in this time takes a turn's deliveries in less than a second. */
const steadyMs = 100;
/** Prompt responses in a row after which a receiver that was slow is so no more. */
const promptAgain = 5;
const maxKnown = 10_000;

/** The claims of this process that wait for their requests. */
const inHand = new InHand();

/** What this process knows of a receiver: whether it answers in time, whether it recently did not, and how long it takes. */
type Reputation = { projectId: string; parallel: number; slow: boolean; prompt: number; usualMs: number; lead: number };
const reputations = new Map<string, Reputation>();

function reputationOf(subscriptionId: string, projectId: string): Reputation {
  const known = reputations.get(subscriptionId) ?? {
    projectId,
    parallel: maxParallel.unknown,
    slow: false,
    prompt: 0,
    usualMs: 1,
    lead: maxInHand.each,
  };
  reputations.delete(subscriptionId);
  reputations.set(subscriptionId, known);
  const [oldest] = reputations.keys();
  if (reputations.size > maxKnown && oldest !== undefined) reputations.delete(oldest);
  return known;
}

/** Deliveries of a new batch that a process may claim for a receiver, by what it knows of it. */
export function claimable(subscriptionId: string): number {
  const known = reputations.get(subscriptionId);
  if (known?.slow || !inHand.hasRoom(known?.projectId ?? null)) return 0;
  if (known?.parallel !== maxParallel.known) return maxInHand.unknown;
  const inTime = Math.floor((known.parallel * inHandMs) / Math.max(known.usualMs, 1));
  return Math.min(Math.max(inTime, batchSize.min), maxInHand.each);
}

/** The subscription that a queue belongs to, as it was when the queue was read. */
export type QueueOwner = {
  id: string;
  projectId: string;
  turn: string;
  rateLimited: boolean;
  /** Failures in a row that open its breaker; null: it has none. */
  threshold: number | null;
  consecutiveFailures: number;
};

/** How a queue was left: `clean` where every request succeeded and nothing is known to be due. */
type Ending = { clean: boolean };

function withoutEchoes(result: RequestResult, echoes: ClaimedAttempt['echoes']): RequestResult {
  if (echoes.length === 0) return result;
  const { headers, body, errorMessage } = result;
  return { ...result, ...redactEchoes({ headers, body, errorMessage }, echoes) };
}

async function attempt(claimed: ClaimedAttempt, projectId: string, cancel: AbortSignal): Promise<FinishedAttempt> {
  const result = await post(webhookAgent(), claimed, projectId, cancel);
  observeWebhookAttempt(result.errorClass, result.durationMs);
  // First cut, then searched: how long a response is, its receiver decides.
  const kept = keptResponse(projectId, result, claimed.echoes.length > 0);
  return { attempt: claimed, result: withoutEchoes(kept, claimed.echoes) };
}

/** Stores a delivery that waits for its receiver, so that its owner sees it. Otherwise its result does. */
async function showUnderWay(claimed: ClaimedAttempt): Promise<void> {
  if (!claimed.claimedWith) return;
  await storeClaimed(claimed).catch((error: unknown) =>
    logger.warn({ err: error }, 'could not store a delivery under way'),
  );
}

/**
 * Sends the deliveries of one subscription, several requests at a time, until nothing is claimed or due, something holds the
 * subscription, or it has to stop. Every change calls `advance`, which does whatever can be done now.
 */
export class QueueSender {
  private claims: { claimed: ClaimedAttempt; at: number }[] = [];
  private size = batchSize.min;
  private claimedAt = Number.NEGATIVE_INFINITY;
  private posting = 0;
  private unwritten = 0;
  /** Statements under way that claim or release. */
  private claiming = 0;
  private stopped = false;
  private clean = true;
  private failure: unknown = null;
  private ended = false;
  private staleTimer: NodeJS.Timeout | undefined;
  private handshakeTimer: NodeJS.Timeout | undefined;
  private readonly reputation: Reputation;
  private readonly settle: { resolve: (ending: Ending) => void; reject: (error: unknown) => void };
  /** Resolves when nothing is under way any more. Rejects when the database could not be reached. */
  readonly done: Promise<Ending>;

  /**
   * @param claim claims what is due, at most `limit`
   * @param mayClaim whether deliveries are due that are not claimed yet
   * @param options.until claims nothing after this (`performance.now()`)
   * @param options.onFailed called when the result of a failed request was written
   */
  constructor(
    private readonly owner: QueueOwner,
    private readonly claim: (subscriptionId: string, limit: number) => Promise<ClaimedAttempt[]>,
    private mayClaim: boolean,
    private readonly options: { until?: number; onFailed?: () => void } = {},
  ) {
    this.reputation = reputationOf(owner.id, owner.projectId);
    noteOwner(owner.id, owner);
    let settle = { resolve: (_: Ending) => {}, reject: (_: unknown) => {} };
    this.done = new Promise((resolve, reject) => {
      settle = { resolve, reject };
    });
    this.settle = settle;
  }

  /** Whether it takes claimed deliveries. */
  get accepts(): boolean {
    return !this.stopped && !this.ended;
  }

  /** Whether it is about to claim what is due: new deliveries that are made later need no claim of their own. */
  get catchesUp(): boolean {
    const { parallel, usualMs } = this.reputation;
    if (!this.accepts || this.standing === 'slow' || parallel !== maxParallel.known || usualMs > promptMs) return false;
    return this.claiming > 0 || (this.mayClaim && this.lead - this.claims.length >= Math.min(this.size, this.lead));
  }

  /** Whether it will soon have room for more: its receiver is prompt, or its first responses are under way. */
  get soonFree(): boolean {
    const { parallel, usualMs } = this.reputation;
    return this.accepts && this.standing !== 'slow' && (parallel !== maxParallel.known || usualMs <= steadyMs);
  }

  /** How many more it should be given: none that would overtake what is due. */
  get room(): number {
    return this.mayClaim ? 0 : this.free;
  }

  private get free(): number {
    return this.accepts ? Math.max(claimable(this.owner.id) - this.claims.length, 0) : 0;
  }

  /** How many deliveries may be in hand when what is due is claimed. */
  private get lead(): number {
    return Math.max(Math.min(claimable(this.owner.id), this.reputation.lead), 1);
  }

  /** Adds deliveries that are claimed already, and starts. */
  start(claimed: ClaimedAttempt[] = []): this {
    this.hold(claimed);
    this.advance();
    return this;
  }

  /** Something is due that nobody has claimed. */
  expect(): void {
    this.mayClaim = !this.stopped;
    this.clean = false;
    this.advance();
  }

  /** Sends nothing more; requests under way end. */
  stop(): void {
    this.stopped = true;
    this.mayClaim = false;
    this.clean = false;
    this.advance();
  }

  /** Requests that may be under way now; at least one when every result is written and nothing holds the subscription. */
  private maxPosting(): number {
    const { threshold, consecutiveFailures } = this.owner;
    const allResultsKnown = this.posting + this.unwritten === 0;
    const allowed = maxConcurrentRequests(this.reputation.parallel, threshold, consecutiveFailures);
    return Math.max(allowed, allResultsKnown ? 1 : 0);
  }

  private get standing(): Standing {
    if (this.reputation.slow || this.owner.consecutiveFailures >= failingFrom) return 'slow';
    return this.reputation.prompt > 0 ? 'quick' : 'unknown';
  }

  private readonly advance = (): void => {
    if (this.ended) return;
    this.releaseStale();
    this.send();
    this.claimMore();
    if (this.posting + this.unwritten + this.claiming + this.claims.length > 0) return;
    if (this.mayClaim && this.failure === null) return;
    this.ended = true;
    slots.leave(this);
    clearTimeout(this.staleTimer);
    clearTimeout(this.handshakeTimer);
    if (this.failure !== null) this.settle.reject(this.failure);
    else this.settle.resolve({ clean: this.clean });
  };

  private hold(claimed: ClaimedAttempt[]): void {
    const at = performance.now();
    this.claims.push(...claimed.map((each) => ({ claimed: each, at })));
    inHand.add(this.owner.projectId, claimed.length);
  }

  private send(): void {
    while (!this.stopped && this.posting < this.maxPosting()) {
      const [next] = this.claims;
      if (!next) return;
      const waitMs = handshakes.waitMs(this.owner.projectId);
      if (waitMs > 0) {
        clearTimeout(this.handshakeTimer);
        this.handshakeTimer = setTimeout(this.advance, waitMs);
        return;
      }
      const slot = slots.take(this.standing, this.owner, this, this.advance);
      if (!slot) return;
      this.claims.shift();
      inHand.add(this.owner.projectId, -1);
      this.posting += 1;
      const ended = handshakes.begin(this.owner.projectId);
      let storing: Promise<void> | undefined;
      const cancel = new AbortController();
      let forget = () => {};
      const slow = setTimeout(() => {
        slots.move(slot, 'slow');
        this.reputation.slow = true;
        this.reputation.prompt = 0;
        storing = showUnderWay(next.claimed);
        forget = cancelWithSubscription(next.claimed, (isGone) => {
          if (isGone) this.stop();
          cancel.abort();
        });
        this.advance();
      }, slowMs);
      attempt(next.claimed, this.owner.projectId, cancel.signal).then((finished) => {
        clearTimeout(slow);
        forget();
        this.posting -= 1;
        slots.release(slot);
        ended(finished.result.heldUpMs, finished.result.isOdd);
        this.note(finished, storing);
      });
    }
  }

  private note(finished: FinishedAttempt, storing?: Promise<void>): void {
    const { succeeded, blameless, durationMs, heldUpMs } = finished.result;
    if (succeeded) this.owner.consecutiveFailures = 0;
    else if (!blameless) this.owner.consecutiveFailures += 1;
    if (succeeded) this.reputation.lead = Math.min(this.reputation.lead + 1, maxInHand.each);
    this.reputation.usualMs += (durationMs - this.reputation.usualMs) / 10;
    if (durationMs < slowMs) {
      this.reputation.prompt += 1;
      if (this.reputation.prompt >= promptAgain) this.reputation.slow = false;
      // One whose responses take this process long gets few at a time: others wait for all that come at once.
      const { parallel } = this.reputation;
      if (heldUpMs < ordinaryMs) this.reputation.parallel = Math.min(2 * parallel, maxParallel.known);
    }
    if (!succeeded) this.clean = false;
    this.unwritten += 1;
    const written = storing ? storing.then(() => writeResult(finished)) : writeResult(finished);
    written.then(
      (change) => {
        this.unwritten -= 1;
        if (change) this.follow(change);
        if (!succeeded) this.options.onFailed?.();
        this.advance();
      },
      (error: unknown) => {
        this.unwritten -= 1;
        this.failure = error;
        this.stop();
      },
    );
    this.advance();
  }

  private follow(change: SubscriptionChange): void {
    if (this.posting + this.unwritten === 0) this.owner.consecutiveFailures = change.consecutiveFailures;
    if (change.stopped) this.stop();
  }

  /** With rate limits, claims only what can be sent at once: what is released later has been counted. */
  private claimMore(): void {
    if (!this.mayClaim || this.stopped || this.claiming > 0) return;
    const now = performance.now();
    if (now >= (this.options.until ?? Number.POSITIVE_INFINITY)) {
      this.mayClaim = false;
      this.clean = false;
      return;
    }
    const taken = this.posting + this.claims.length;
    const waits = this.standing === 'slow' || slots.isFull(this.standing, this.owner.turn);
    const direct = this.owner.rateLimited || waits;
    const size = now - this.claimedAt < batchSize.quickMs ? Math.min(2 * this.size, batchSize.max) : batchSize.min;
    const room = this.lead - taken;
    const before = Math.min(this.size, this.lead);
    // While deliveries wait for their claims, new ones are not claimed as they are made, which costs less.
    if (!direct && taken > before / 2 && room < before) return;
    const wanted = direct ? this.maxPosting() - taken : Math.min(size, room);
    if (wanted < 1) return;
    if (direct && !slots.free(this.standing, this.owner, this, this.advance)) return;
    this.size = size;
    this.claimedAt = now;
    this.claiming += 1;
    this.claim(this.owner.id, wanted)
      .then((claimed) => {
        this.mayClaim = claimed.length === wanted && !this.stopped;
        this.hold(claimed);
      })
      .catch((error: unknown) => {
        this.failure = error;
        this.mayClaim = false;
      })
      .finally(() => {
        this.claiming -= 1;
        this.advance();
      });
  }

  private releaseStale(): void {
    const [oldest] = this.claims;
    if (!oldest) return;
    const leftMs = staleMs - (performance.now() - oldest.at);
    if (!this.stopped && leftMs > 0) {
      // That of a claim that was sent meanwhile ends early, and is set again then: most are sent.
      this.staleTimer ??= setTimeout(() => {
        this.staleTimer = undefined;
        this.advance();
      }, leftMs);
      return;
    }
    this.clean = false;
    this.claiming += 1;
    const released = this.claims.splice(0).map(({ claimed }) => claimed);
    inHand.add(this.owner.projectId, -released.length);
    this.reputation.lead = leadAfterRelease;
    releaseClaims(released)
      .catch((error: unknown) => {
        this.failure = error;
      })
      .finally(() => {
        this.claiming -= 1;
        if (!this.stopped && this.failure === null) this.mayClaim = true;
        this.advance();
      });
  }
}

/** Events wait no longer than this for the claims of what came before them. */
const catchUpMs = 20;

/** Lets prompt receivers claim what was made without a claim: behind it, all that follows would need one too. */
export async function catchUp(senders: readonly (QueueSender | null | undefined)[]): Promise<void> {
  const end = performance.now() + catchUpMs;
  while (performance.now() < end && senders.some((sender) => sender?.catchesUp)) await pause(1);
}
