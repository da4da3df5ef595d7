import { hour, second } from '@/domain/time/durations';
import type { Pace } from '@/server/email/claims';

/**
 * A mail server may ask that of a recipient before it answers. An email to a domain where that takes so long gives its
 * connection up, and for so long all such domains share a few.
 */
const lateAfterMs = 5 * second;
const lateForMs = hour;
const maxLate = 1_000;
/** Domains where that took less are known as prompt, so many that were used last; emails to all others share a few connections. */
const promptWithinMs = 2 * second;
const maxPrompt = 500;
/**
 * A domain is late when the texts of more take long, with no prompt email between them. One account with one network has so
 * many turns: for its projects, what the network asks for and invites, digests and notices.
 */
const maxSlowTurns = 5;

export function putLast(names: Set<string>, name: string, most: number): void {
  names.delete(name);
  names.add(name);
  for (const first of names) if (names.size > most) names.delete(first);
}

/** `turn`: whose it takes. `textSince`: when the server asked for the text, which ended its time over the recipient. */
export type Attempt = { domain: string; turn: string; since: number; textSince?: number; hasSlowText?: boolean };

/** How fast domains are, as far as this process knows. */
export class DomainPaces {
  /** Domains at which the recipient takes long, and until when that is remembered. */
  private readonly late = new Map<string, number>();
  /**
   * Domains at which a text takes long, until when that is remembered, and whose texts did since the last prompt email. That may
   * be because of what somebody wrote, so such a domain is late only where many had it; otherwise it counts as unknown.
   */
  private readonly slowTexts = new Map<string, { until: number; turns: Set<string> }>();
  /** Domains at which neither did lately; the last one at the end. */
  private readonly prompt = new Set<string>();

  of(domain: string): Pace {
    if (this.late.has(domain)) return 'late';
    const slow = this.slowTexts.get(domain);
    if (slow) return slow.turns.size > maxSlowTurns ? 'late' : 'unknown';
    return this.prompt.has(domain) ? 'prompt' : 'unknown';
  }

  lateDomains(): string[] {
    const now = performance.now();
    for (const [domain, until] of this.late) if (now >= until) this.late.delete(domain);
    for (const [domain, { until }] of this.slowTexts) if (now >= until) this.slowTexts.delete(domain);
    return [...this.late.keys(), ...[...this.slowTexts.keys()].filter((domain) => this.of(domain) === 'late')];
  }

  promptDomains(): string[] {
    return [...this.prompt];
  }

  /** How long an email may wait for that of the recipient; at domains known to take longer, as long as for all. */
  patienceAt(domain: string): number | undefined {
    return this.late.has(domain) ? undefined : lateAfterMs;
  }

  noteLate(domain: string): void {
    if (this.late.size >= maxLate) this.late.clear();
    this.late.set(domain, performance.now() + lateForMs);
    this.prompt.delete(domain);
  }

  /** Notes how long an email has taken so far; that its text takes long, once. */
  noteTime(attempt: Attempt): void {
    const { domain, turn, since, textSince } = attempt;
    const now = performance.now();
    if (now - since >= promptWithinMs) this.prompt.delete(domain);
    if ((textSince ?? now) - since >= lateAfterMs) this.noteLate(domain);
    if (textSince === undefined || now - textSince < lateAfterMs || attempt.hasSlowText) return;
    attempt.hasSlowText = true;
    const turns = this.slowTexts.get(domain)?.turns ?? new Set<string>();
    if (this.slowTexts.size >= maxLate) this.slowTexts.clear();
    this.slowTexts.set(domain, { until: now + lateForMs, turns });
    if (turns.size <= maxSlowTurns) turns.add(turn);
  }

  /** Notes that the server has answered, whether it took the email or refused it. */
  noteAnswer({ domain, since }: Attempt): void {
    if (performance.now() - since >= promptWithinMs) return;
    const slow = this.slowTexts.get(domain);
    if (slow) slow.turns.clear();
    else putLast(this.prompt, domain, maxPrompt);
  }
}
