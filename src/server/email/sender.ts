import { setTimeout as wait } from 'node:timers/promises';
import { day, minute, second } from '@/domain/time/durations';
import { env } from '@/env';
import { isDeadSql } from '@/server/alive-lock';
import { decryptSecret } from '@/server/crypto';
import { pool } from '@/server/db';
import {
  type ClaimedEmail,
  claimEmails,
  countedBlock,
  domainOf,
  isInviter,
  type Pace,
  type Room,
  turnOf,
} from '@/server/email/claims';
import { Connections } from '@/server/email/connections';
import { composeEmail, type Email } from '@/server/email/layout';
import { LateRecipientError, MailServerError, NoConnectionError } from '@/server/email/mail-server';
import { type Address, type Attempt, DomainPaces, putLast } from '@/server/email/paces';
import { sharesOf } from '@/server/email/shares';
import { announce, type EventNotice, onDomainEvent } from '@/server/events/live';
import { Batcher } from '@/server/jobs/embedded/batcher';
import { isTransient } from '@/server/jobs/embedded/database';
import { logger } from '@/server/logger';
import { countEmail } from '@/server/metrics';
import { storableBeginning } from '@/server/storable-text';

const maxAttempts = 12;
/** Later attempts send the fallback alone, because filters may also hang up or time out at a text. */
const maxFullAttempts = maxAttempts / 2;
/** An email that no server has taken by then is given up, even if none could be asked. */
const maxAgeMs = day;
/** Looks for emails without a notice: those of a process that died, and those that wait for another try. */
const pollMs = 5 * second;
const errorPauseMs = second;
/** How long results of emails are kept that the database cannot store; most claims last longer. */
const storePatienceMs = 20 * second;
/** Emails that are written to files at a time, where there is no mail server. */
const maxFiles = 50;
/** Results of this time are written together. */
const gatherMs = 10;
/** Who asked for emails most lately, or caused them where domains are not prompt, and has the next turn behind all others. */
const maxTurns = 200;
/** Pause after the n-th failure: one minute, doubling up to two hours. */
const pauseAfter = (attempts: number): number => Math.min(2 ** (attempts - 1), 120) * minute;

const connectionsWanted = () => (env.SMTP_URL ? env.SMTP_CONNECTIONS : maxFiles);

/**
 * What became of an attempt. `error`: why it failed; null: the mail server took the email. `blameless`: the server did not look
 * at it, which does not count as an attempt: it is due again at once, and waits as all do for a server that takes nothing.
 */
export type SendResult = { email: ClaimedEmail; error: string | null; blameless?: boolean };

const isOver = ({ email, error, blameless }: SendResult) =>
  error === null || (blameless ? Date.now() - +email.createdAt > maxAgeMs : email.attempts >= maxAttempts);

// Where this claim had ended, the process that claimed the email again decides when it is tried next.
const COMPLETE = `
  UPDATE outgoing_mail m SET "claimedBy" = NULL, "lastError" = r.error, attempts = m.attempts - CASE WHEN r.blameless THEN 1 ELSE 0 END,
    "sentAt" = CASE WHEN r.error IS NULL THEN now() END,
    "failedAt" = CASE WHEN r.over AND r.error IS NOT NULL THEN now() END,
    "dueAt" = CASE WHEN NOT r.over THEN now() + r.pause * interval '1 ms' END,
    "contentEncrypted" = CASE WHEN NOT r.over THEN m."contentEncrypted" END
  FROM unnest($1::text[], $2::int[], $3::text[], $4::int[], $5::boolean[], $6::boolean[])
    AS r (id, attempts, error, pause, over, blameless)
  WHERE m.id = r.id AND m."sentAt" IS NULL AND (r.error IS NULL OR m.attempts = r.attempts)`;

/** Writes results of many emails. What failed for the last time is given up. */
export async function completeEmails(results: readonly SendResult[]): Promise<void> {
  const values = [
    results.map(({ email }) => email.id),
    results.map(({ email }) => email.attempts),
    // A mail server may say what PostgreSQL cannot store, and one such answer would lose those of the others.
    results.map(({ error }) => error?.replaceAll('\0', '\uFFFD') ?? null),
    results.map(({ email, blameless }) => (blameless ? 0 : pauseAfter(email.attempts))),
    results.map(isOver),
    results.map(({ blameless = false }) => blameless),
  ];
  const until = performance.now() + storePatienceMs;
  for (let failed = 1; ; failed += 1) {
    try {
      await pool.query({ name: 'email_complete', text: COMPLETE, values });
      return;
    } catch (error) {
      // A lost result means a second email.
      if (performance.now() >= until || !isTransient(error)) throw error;
      await wait(Math.min(100 * 2 ** failed, second));
    }
  }
}

const FREE_CLAIMS_OF_THE_DEAD = `
  UPDATE outgoing_mail SET "dueAt" = now(), "claimedBy" = NULL
  WHERE "claimedBy" IS NOT NULL AND ${isDeadSql('sender', '"claimedBy"')}`;

/** Frees the claims of processes that died, and has their emails sent. */
export async function freeEmailsOfTheDead(): Promise<void> {
  const { rowCount } = await pool.query({ name: 'email_free_dead', text: FREE_CLAIMS_OF_THE_DEAD });
  if (rowCount) wakeSender();
}

/** Tells the senders of other processes that emails are due. */
const due: EventNotice = {
  ...{ id: '', type: 'email.due', aggregateType: 'email', aggregateId: '' },
  ...{ projectId: null, tournamentId: null, userId: null },
};

const addressOf = (email: ClaimedEmail): Address => {
  const { recipient, recipientFrom: block, causedBy } = email;
  return { recipient, domain: domainOf(recipient), block, turn: turnOf(email), isCaused: causedBy !== '' };
};

/** `pace`: of the email when it was claimed, whose room it keeps for as long as it takes. */
type Sending = Attempt & { pace: Pace };

/**
 * Sends the emails of the outbox that are due, several at a time, until it is stopped: claims them with one statement, sends
 * them over connections that stay open, and writes the results of many together.
 */
class EmailSender {
  /** By who causes them; asked ones have an empty name. */
  private readonly underWay = new Map<string, number>();
  /** By the id of each email that is being sent. */
  private readonly sending = new Map<string, Sending>();
  private readonly paces = new DomainPaces();
  /** Whose turn it was; the last one at the end. */
  private readonly served = new Set<string>();
  /** The same of blocks of recipients, within the turns of who causes their emails. */
  private readonly servedBlocks = new Set<string>();
  /** Both at prompt domains, blocks as `to BLOCK`, of what others cause. */
  private readonly promptServed = new Set<string>();
  /** Of them, those whose last email took long: what they hold up is time, and a turn each would give them most of it. */
  private readonly slowBlocks = new Set<string>();
  private connections = new Connections();
  private readonly results = new Batcher<SendResult, true>(
    200,
    async (batch) => {
      await completeEmails(batch);
      return batch.map(() => true);
    },
    { gatherMs },
  );
  private running = 0;
  /** Whether what was claimed last can take long, or was prompt and got no connection. */
  private isPromptNext = false;
  private loop: Promise<void> | null = null;
  private stopped = true;
  private wanted = false;
  private wake: () => void = () => undefined;
  private serverFailures = 0;
  private name: () => string | null = () => null;

  /** Whether it takes what is due. */
  get active(): boolean {
    return !this.stopped;
  }

  get idle(): boolean {
    return this.running === 0 && !(this.loop !== null && this.wanted);
  }

  start(name: () => string | null): void {
    if (this.stopped) this.connections = new Connections();
    this.name = name;
    this.stopped = false;
    this.serverFailures = 0;
    this.wanted = true;
    this.loop ??= this.run().finally(() => {
      this.loop = null;
    });
  }

  /** Takes nothing more; emails under way end within `graceMs`. Those that do not are sent again. */
  async stop(graceMs: number): Promise<void> {
    this.stopped = true;
    this.wake();
    await this.loop;
    const end = performance.now() + graceMs;
    while (this.running > 0 && performance.now() < end) await wait(10);
    this.connections.close();
  }

  nudge(): void {
    this.wanted = true;
    this.wake();
  }

  private async run(): Promise<void> {
    const stopListening = onDomainEvent(({ type }) => {
      if (type === due.type || type === 'live.resumed') this.nudge();
    });
    while (!this.stopped) {
      this.wanted = false;
      const pause = this.connections.serverPause(this.serverFailures);
      if (pause > 0) await this.rest(pause, () => this.stopped);
      let more = false;
      // What this claim leaves for the end of such a pause is looked for then, even if it ends meanwhile.
      const connectionPause = this.connections.pause();
      try {
        if (!this.stopped) more = await this.claim();
      } catch (error) {
        logger.warn({ err: error }, 'could not look for emails to send; will try again');
        await this.rest(errorPauseMs, () => this.stopped);
        more = true;
      }
      if (!more) await this.rest(connectionPause || pollMs, () => this.stopped || this.wanted);
    }
    stopListening();
  }

  /** Waits so long, or until `until` holds after a call of `wake`. */
  private rest(ms: number, until: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        if (!until()) return;
        clearTimeout(timer);
        resolve();
      };
      this.wake();
    });
  }

  /** Claims what there is room for, and starts to send it. @returns whether there may be more to claim now */
  private async claim(): Promise<boolean> {
    const connections = connectionsWanted();
    const shares = sharesOf(connections);
    const own = this.underWay.get('') ?? 0;
    const waiting = [...this.sending.values()].filter(({ pace }) => pace !== 'prompt').length;
    // One email shows whether a server that took nothing does again.
    const most = this.serverFailures > 0 ? 1 : connections;
    const mayBegin = this.connections.rate.room();
    const free = Math.min(mayBegin.all, this.connections.room(most, { all: this.running, notPrompt: waiting }));
    if (free <= 0) return false;
    const asked = Math.min(free, Math.max(0, mayBegin.asked), Math.max(0, shares.asked - own));
    const caused = Math.min(free, Math.max(0, shares.caused - (this.running - own)));
    for (const sending of this.sending.values()) this.paces.noteTime(sending);
    const hanging = this.turnsThatHang(shares);
    const underWay = Object.fromEntries(
      [...this.underWay].map(([turn, count]) => [turn, count - (hanging.has(turn) ? 1 : 0)]),
    );
    const room = { free, asked, caused, each: shares.each, underWay, ...this.roomByPace(shares, hanging) };
    const claimed = await this.claimFor(room, free < most - this.running);
    for (const email of claimed) void this.send(email);
    // Behind who has asked or invited come others, and behind what is not prompt the rest.
    return claimed.some((email) => email.causedBy === '' || isInviter(email.causedBy) || !this.isPrompt(email));
  }

  private isPrompt(email: ClaimedEmail): boolean {
    return this.paces.of(addressOf(email)) === 'prompt';
  }

  /** @param isScarce whether the mail server allows few connections, of which what can take long must not have each that becomes free */
  private async claimFor(room: Required<Room>, isScarce: boolean): Promise<ClaimedEmail[]> {
    const none = { asked: 0, caused: 0 };
    const ofPrompt = { ...room, late: { ...room.late, ...none }, unknown: { ...room.unknown, ...none } };
    let claimed = isScarce && this.isPromptNext ? await claimEmails(ofPrompt, this.name()) : [];
    if (claimed.length === 0) claimed = await claimEmails(room, this.name());
    this.isPromptNext = !claimed.every((email) => this.isPrompt(email));
    return claimed;
  }

  /**
   * Turns whose only connection at domains that are not prompt has waited long for a text to be confirmed: they get one more, and the
   * recipient's block alone pays for it. Where there is one connection for all of them, there is no other to get.
   */
  private turnsThatHang(shares: ReturnType<typeof sharesOf>): Set<string> {
    const hanging = [...this.sending.values()].filter(
      ({ isCaused, turn, pace, hasSlowText }) => isCaused && !isInviter(turn) && pace !== 'prompt' && hasSlowText,
    );
    return new Set(shares.causer > 1 || shares.unknown.caused < 2 ? [] : hanging.map(({ turn }) => turn));
  }

  private roomByPace(
    shares: ReturnType<typeof sharesOf>,
    hanging: ReadonlySet<string>,
  ): Required<Pick<Room, 'late' | 'unknown' | 'askers' | 'blocks' | 'promptServed'>> {
    // While no connection is opened, what could end one that is open waits.
    const none = { asked: 0, caused: 0 };
    const [late, unknown] =
      this.connections.pause() > 0 ? [none, { ...none }] : [{ ...shares.late }, { ...shares.unknown }];
    const counts = new Map<string, { count: number; most: number }>();
    const add = (key: string, most: number) => counts.set(key, { count: (counts.get(key)?.count ?? 0) + 1, most });
    for (const sending of this.sending.values()) {
      const { isCaused, turn, pace: claimedAs } = sending;
      if (claimedAs !== 'prompt') (claimedAs === 'late' ? late : unknown)[isCaused ? 'caused' : 'asked'] -= 1;
      if (isCaused && claimedAs !== 'prompt') add(`${claimedAs} to ${countedBlock(sending)}`, shares.block[claimedAs]);
      const hasAsked = !isCaused || isInviter(turn);
      // One that has turned out to be late also counts with the late ones of its turn.
      for (const pace of new Set([claimedAs, this.paces.of(sending), isCaused ? claimedAs : 'any'] as const)) {
        if (turn === '' || (!hasAsked && pace === 'prompt')) continue;
        add(`${pace} ${turn}`, hasAsked ? shares.asker[pace] : shares.causer + (hanging.has(turn) ? 1 : 0));
      }
    }
    const full = [...counts].flatMap(([key, { count, most }]) => (count >= most ? [key] : []));
    return {
      late: { names: this.paces.allLate(), ...late },
      unknown: { ...this.paces.promptDomains(), ...unknown },
      askers: { full, served: [...this.served] },
      promptServed: [...this.promptServed],
      blocks: [...[...this.servedBlocks].filter((block) => !this.slowBlocks.has(block)), ...this.slowBlocks],
    };
  }

  private async send(email: ClaimedEmail): Promise<void> {
    const { id, causedBy, recipient: to, kind, attempts } = email;
    const { serverFailures } = this;
    this.count(causedBy, 1);
    const address = addressOf(email);
    const [turn, pace] = [address.turn, this.paces.of(address)];
    const line = this.connections.take(connectionsWanted(), this.paces.mayHang(address, pace));
    const sending: Sending = { ...address, pace };
    this.sending.set(id, sending);
    if (turn !== '' && (!address.isCaused || pace !== 'prompt')) putLast(this.served, turn, maxTurns);
    const block = countedBlock(address);
    if (address.isCaused && pace !== 'prompt') putLast(this.servedBlocks, block, maxTurns);
    if (address.isCaused && pace === 'prompt')
      for (const who of [turn, `to ${block}`]) putLast(this.promptServed, who, maxTurns);
    let result: SendResult = { email, error: null };
    let [isAway, hadNoConnection] = [false, false];
    try {
      const full: Email = JSON.parse(decryptSecret(email.contentEncrypted));
      const { fallback, ...text } = attempts > maxFullAttempts ? (full.fallback ?? full) : full;
      const message = { id, to, content: composeEmail(text), fallback: fallback && composeEmail(fallback) };
      await this.connections.rate.turnOf(address.isCaused ? 'caused' : 'asked', () => this.nudge());
      await line.send(message, this.paces.patienceFor(address, pace), {
        onRecipient: () => {
          if (sending.textSince === undefined) sending.since = performance.now();
        },
        onText: () => {
          sending.textSince ??= performance.now();
        },
      });
      this.serverFailures = 0;
      this.connections.rate.noteTaken();
    } catch (reason) {
      // Among the late ones it has had its time, and would hold a connection again and again.
      const late = reason instanceof LateRecipientError && pace !== 'late';
      isAway = reason instanceof MailServerError;
      if (late) this.paces.noteLate(sending);
      if (!isAway) this.paces.noteFailure(sending);
      hadNoConnection = reason instanceof NoConnectionError;
      if (isAway && !hadNoConnection) this.connections.rate.noteRefusal();
      const isRefused = hadNoConnection && (await this.connections.work());
      if (isRefused) this.connections.noteRefusal(connectionsWanted());
      else if (isAway) this.serverFailures = Math.max(this.serverFailures, serverFailures + 1);
      // Whatever it did with an email that was begun since it was away, it is there.
      else if (serverFailures === this.serverFailures) this.serverFailures = 0;
      if (isRefused && pace === 'prompt') this.isPromptNext = true;
      const error = reason instanceof Error ? storableBeginning(reason.message, 500) : 'unknown';
      result = { email, error, blameless: isAway || late };
      logger.warn({ err: reason, emailId: id, kind, attempts, gaveUp: isOver(result) }, 'could not send an email');
    }
    if (!isAway) this.paces.noteAnswer(sending, result.error === null);
    if (!hadNoConnection) this.paces.noteTime(sending);
    if (sending.isCaused && pace !== 'prompt' && sending.since !== undefined) {
      if (this.paces.tookLong(sending)) putLast(this.slowBlocks, block, maxTurns);
      else this.slowBlocks.delete(block);
    }
    countEmail(result.error === null ? 'sent' : isOver(result) ? 'given_up' : 'failed');
    if (this.stopped) line.close();
    this.connections.giveBack(line);
    await this.results
      .add(result)
      .catch((reason: unknown) => logger.warn({ err: reason, emailId: id }, 'could not store what became of an email'));
    this.sending.delete(id);
    this.count(causedBy, -1);
    this.nudge();
  }

  private count(causedBy: string, change: number): void {
    this.running += change;
    const own = (this.underWay.get(causedBy) ?? 0) + change;
    if (own > 0) this.underWay.set(causedBy, own);
    else this.underWay.delete(causedBy);
  }
}

const sender = new EmailSender();

/**
 * Sends the emails of the outbox from now on, in this process.
 * @param name of this process while others can see that it is alive; otherwise null
 */
export const startSender = (name: () => string | null = () => null): void => sender.start(name);

/** Whether this process has no email to send. */
export const senderIdle = (): boolean => sender.idle;

/** Ends it. Emails under way have `graceMs` to end. */
export const stopSender = (graceMs: number): Promise<void> => sender.stop(graceMs);

/** Has emails that are due sent: by this process if it sends, otherwise by one that does. */
export function wakeSender(): void {
  if (sender.active) sender.nudge();
  else announce([due]);
}
