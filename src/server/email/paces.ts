import { hour, minute, second } from '@/domain/time/durations';
import { isInviter, type Pace } from '@/server/email/claims';

/**
 * A mail server may ask that of a recipient before it answers. An email where that takes so long gives its connection up, and
 * for so long all emails to such recipients share a few.
 */
const lateAfterMs = 5 * second;
const lateForMs = hour;
const maxLate = 1_000;
/**
 * After an email there that was late, a domain is unknown until so many have been prompt, and twice as many each time that it is
 * late again after that within an hour: it could be prompt in between only to keep the connections of prompt ones for a while.
 */
const promptAgainAfter = { first: 5, most: 1_000 };
/** Whose email had a connection of those for longer, in vain, has it for so long with each for an hour, since others wait for it. */
const hangingAfterMs = 10 * second;
/**
 * Domains where an email takes less are known as prompt, so many that were used last; emails to all others share a few
 * connections. It is three times what the quickest email of ten minutes took, within bounds: a domain that always takes some
 * seconds would keep the connections of those that take none, and how long an email takes at least depends on the mail server.
 */
const promptWithinMs = { least: second / 2, most: 2 * second };
const quickestForMs = 10 * minute;
const maxPrompt = 500;
/**
 * For emails that others cause, a domain is prompt only once recipients of so many blocks of addresses have shown it: somebody's
 * own is so for their sign-ups, however many, and can hang at all that comes after.
 */
const wellKnownAfter = 10;
/**
 * A domain is late for everybody when emails of more turns take long, with no prompt email between them. One network has fewer
 * turns at a domain: for its projects and what it asks for, those of an account, what it invites, and notices.
 */
const maxSlowTurns = 5;

export function putLast(names: Set<string>, name: string, most: number): void {
  names.delete(name);
  names.add(name);
  for (const first of names) if (names.size > most) names.delete(first);
}

function keepLast<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  for (const first of map.keys()) if (map.size > most) map.delete(first);
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  if (map.size >= maxLate && !map.has(key)) map.clear();
  map.set(key, value);
}

/** To whom an email goes, the block that they signed up from if it is known, whose turn it takes, and whether others cause it. */
export type Address = {
  recipient: string;
  domain: string;
  block?: string | null;
  turn: string;
  isCaused?: boolean;
};
/** `since`: when a connection was there, and with it the time over the recipient began; `textSince`: when that ended. */
export type Attempt = Address & {
  since?: number;
  textSince?: number;
  hasSlowRecipient?: boolean;
  hasSlowText?: boolean;
};

/** Domains at which something takes long, until when that is remembered, and whose did since the last prompt email. */
type SlowDomains = Map<string, { until: number; turns: Set<string> }>;

function noteSlow(domains: SlowDomains, { domain, turn }: Address): void {
  const turns = domains.get(domain)?.turns ?? new Set<string>();
  remember(domains, domain, { until: performance.now() + lateForMs, turns });
  if (turns.size <= maxSlowTurns) turns.add(turn);
}

const isOfMany = ({ turns }: { turns: Set<string> }) => turns.size > maxSlowTurns;
/** What somebody sends to a domain; no domain and no address has a space. */
const ofTurn = (domain: string, turn: string) => `${domain} ${turn}`;

/** How fast domains are, as far as this process knows. */
export class DomainPaces {
  /** Recipients that take long, and until when that is remembered, whatever others at their domain do. */
  private readonly late = new Map<string, number>();
  /** Where recipients take long. That may be because of whom somebody chose, so it counts for others only where many had it. */
  private readonly slowRecipients: SlowDomains = new Map();
  /** Where texts do. That may be because of what somebody wrote: where few had it, the domain counts as unknown for others. */
  private readonly slowTexts: SlowDomains = new Map();
  /** Whose emails had a connection for very long in vain, as `senderOf` names them, and until when that is remembered. */
  private readonly hanging = new Map<string, number>();
  /** Domains at which neither did lately; the last one at the end. */
  private readonly prompt = new Set<string>();
  /** At which domains emails were prompt for recipients of which blocks, until they are well known; the last domain at the end. */
  private readonly shownBy = new Map<string, Set<string>>();
  /** Apart from the others, so that nobody's own domains take their place; the last one at the end. */
  private readonly wellKnown = new Set<string>();
  /** Domains where emails were late within the hour, and how many have to be prompt, of how many, until it is prompt again. */
  private readonly doubted = new Map<string, { until: number; missing: number; of: number }>();
  private quickest = { ms: promptWithinMs.most, at: Number.NEGATIVE_INFINITY };

  of({ recipient, domain, turn, isCaused = false }: Address): Pace {
    const slow = this.slowRecipients.get(domain);
    if (this.late.has(recipient) || (slow && (isOfMany(slow) || slow.turns.has(turn)))) return 'late';
    const slowText = this.slowTexts.get(domain);
    if (slowText) return isOfMany(slowText) || slowText.turns.has(turn) ? 'late' : 'unknown';
    return this.prompt.has(domain) && (!isCaused || this.wellKnown.has(domain)) ? 'prompt' : 'unknown';
  }

  /** What is late: recipients, domains, and domains for one turn, which follows behind a space. */
  allLate(): string[] {
    const now = performance.now();
    for (const times of [this.late, this.hanging])
      for (const [key, until] of times) if (now >= until) times.delete(key);
    for (const domains of [this.slowRecipients, this.slowTexts, this.doubted])
      for (const [domain, { until }] of domains) if (now >= until) domains.delete(domain);
    const forAll = [...this.slowRecipients, ...this.slowTexts].flatMap(([domain, slow]) =>
      isOfMany(slow) ? [domain] : [],
    );
    const forOne = [...this.slowRecipients, ...this.slowTexts].flatMap(([domain, { turns }]) =>
      [...turns].map((turn) => ofTurn(domain, turn)),
    );
    return [...this.late.keys(), ...forAll, ...forOne];
  }

  promptDomains(): { prompt: string[]; wellKnown: string[] } {
    const prompt = [...this.prompt];
    return { prompt, wellKnown: prompt.filter((domain) => this.wellKnown.has(domain)) };
  }

  /** How long an email may wait for that of the recipient; among late ones as long as for all, unless its sender's hang. */
  patienceFor(address: Address, pace: Pace): number | undefined {
    if (pace !== 'late') return lateAfterMs;
    return this.hanging.has(this.senderOf(address)) ? hangingAfterMs : undefined;
  }

  /** Whether an email may wait in vain for that of the recipient, as far as is known of its sender. */
  mayHang(address: Address, pace: Pace): boolean {
    if (pace !== 'unknown') return pace === 'late';
    const { turn } = address;
    return (
      this.hanging.has(this.senderOf(address)) || [...this.slowRecipients.values()].some(({ turns }) => turns.has(turn))
    );
  }

  noteLate(attempt: Attempt): void {
    if (attempt.hasSlowRecipient) return;
    attempt.hasSlowRecipient = true;
    remember(this.late, attempt.recipient, performance.now() + lateForMs);
    noteSlow(this.slowRecipients, attempt);
    this.prompt.delete(attempt.domain);
    const { missing, of: before } = this.doubted.get(attempt.domain) ?? { missing: 0, of: promptAgainAfter.first / 2 };
    const of = missing > 0 ? before : Math.min(2 * before, promptAgainAfter.most);
    remember(this.doubted, attempt.domain, { until: performance.now() + lateForMs, missing: of, of });
  }

  /** Notes how long an email has taken so far; that its recipient or text takes long, once. */
  noteTime(attempt: Attempt): void {
    const { domain, since, textSince } = attempt;
    if (since === undefined) return;
    const now = performance.now();
    if (now - since >= this.promptWithin()) this.prompt.delete(domain);
    if ((textSince ?? now) - since >= lateAfterMs) this.noteLate(attempt);
    if (textSince === undefined || now - textSince < lateAfterMs || attempt.hasSlowText) return;
    attempt.hasSlowText = true;
    noteSlow(this.slowTexts, attempt);
  }

  /** Whether an email has taken longer than prompt ones. */
  tookLong({ since }: Attempt): boolean {
    return since !== undefined && performance.now() - since >= this.promptWithin();
  }

  /** Notes that an email has failed. One that had less time for that does not extend the hour: its recipient may be a slow one. */
  noteFailure(attempt: Attempt): void {
    const { since, textSince } = attempt;
    const now = performance.now();
    if (since === undefined || textSince !== undefined) return;
    const sender = this.senderOf(attempt);
    if (now - since < hangingAfterMs || this.hanging.has(sender)) return;
    remember(this.hanging, sender, now + lateForMs);
  }

  /** Notes that the server has answered. @param isTaken whether it took the email; a refusal may take no time anywhere */
  noteAnswer(attempt: Attempt, isTaken = true): void {
    const { recipient, domain, since } = attempt;
    if (since === undefined) return;
    const now = performance.now();
    const ms = now - since;
    const isOld = now - this.quickest.at >= quickestForMs;
    if (isTaken && (isOld || ms <= this.quickest.ms)) this.quickest = { ms, at: now };
    if (ms >= this.promptWithin()) return;
    this.noteShown(attempt);
    this.late.delete(recipient);
    this.slowRecipients.delete(domain);
    const slowText = this.slowTexts.get(domain);
    if (slowText) slowText.turns.clear();
    const doubt = this.doubted.get(domain);
    if (doubt) doubt.missing -= 1;
    if (!slowText && (doubt?.missing ?? 0) <= 0) putLast(this.prompt, domain, maxPrompt);
  }

  /**
   * Who is to blame for an email that hangs: whose turn it is, where they asked or invited. A project sends to whoever registers, so
   * there it is the block that the recipient signed up from, or as much as that domain.
   */
  private senderOf({ domain, block, turn, isCaused = false }: Address): string {
    if (!isCaused || isInviter(turn)) return turn;
    return block ?? ofTurn(domain, turn);
  }

  /** Recipients whose block is not known count as one: they can all be one person's. */
  private noteShown({ domain, block, turn, isCaused = false }: Address): void {
    const shownBy = this.shownBy.get(domain) ?? new Set<string>();
    shownBy.add(isCaused ? (block ?? '') : turn);
    const isWellKnown = this.wellKnown.has(domain) || shownBy.size >= wellKnownAfter;
    if (!isWellKnown) {
      keepLast(this.shownBy, domain, shownBy, maxPrompt);
      return;
    }
    this.shownBy.delete(domain);
    putLast(this.wellKnown, domain, maxPrompt);
  }

  private promptWithin(): number {
    return Math.min(Math.max(promptWithinMs.least, 3 * this.quickest.ms), promptWithinMs.most);
  }
}
