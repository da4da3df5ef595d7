import { formatInstant } from '@/domain/time/zones';
import { publicUrl } from '@/env';
import { type Email, namesLeftOut } from '@/server/email/layout';
import { unsubscribeAddresses } from '@/server/email/unsubscribe';

type Recipient = { id: string; name: string; timezone: string | null };
type PlayedMatch = {
  /** Of the tournament. */
  slug: string;
  name: string;
  timezone: string;
  number: number;
  opponent: string;
};

/** What every fallback has: the address of the match contains the name of its tournament. */
const withoutNames = {
  action: { label: 'My tournaments', url: `${publicUrl}/me` },
  reason: 'You get this email because you play in a tournament on Laurel.',
};

/**
 * The email that calls a player to a match. Times are in their zone. The opponent chose their name: one that a mail server
 * refuses must not keep the player from being called, so the fallback has no names.
 */
export function callEmail(
  recipient: Recipient,
  called: PlayedMatch & {
    /** Name of the station; null: none. */
    station: string | null;
    /** ISO 8601. */
    showUpBy: string;
  },
): Email {
  const { slug, name, number, opponent, station, showUpBy } = called;
  const by = formatInstant(showUpBy, recipient.timezone ?? called.timezone);
  const deadline = 'If you do not show up by then, the organizer can decide the match against you.';
  const unsubscribe = unsubscribeAddresses(recipient.id);
  return {
    subject: `${name}: ${station ? `go to ${station}` : 'your match is called'}`,
    paragraphs: [
      `Hello ${recipient.name},`,
      `Your match against ${opponent} (M${number}) was called. ${station ? `Go to ${station}` : 'Go to your match'} and be there by ${by}.`,
      deadline,
    ],
    action: { label: 'Open the match', url: `${publicUrl}/tournaments/${slug}/matches/${number}` },
    reason: `You get this email because you play in ${name}.`,
    unsubscribe,
    fallback: {
      ...withoutNames,
      subject: 'Your match is called',
      paragraphs: ['Hello,', `Your match was called. Go to your match and be there by ${by}.`, deadline, namesLeftOut],
      unsubscribe,
    },
  };
}

/** The email to a player whose opponent has reported a result. As in a call, the fallback has no names. */
export function reportEmail(
  recipient: Recipient,
  reported: PlayedMatch & {
    /** Whether they had reported something else before. */
    isChange: boolean;
    /** When silence confirms it, in ISO 8601; null: it does not. */
    confirmBy: string | null;
  },
): Email {
  const { slug, name, number, opponent, isChange, confirmBy } = reported;
  const what = isChange ? 'changed the reported result' : 'reported a result';
  const deadline = confirmBy
    ? `Confirm it, or report what you played, by ${formatInstant(confirmBy, recipient.timezone ?? reported.timezone)}. Without an answer it counts. If this email reaches you late, you have more time: the match page shows the deadline.`
    : 'Confirm it, or report what you played. Without an answer, the organizer decides.';
  const unsubscribe = unsubscribeAddresses(recipient.id);
  return {
    subject: `${name}: your opponent ${what}`,
    paragraphs: [`Hello ${recipient.name},`, `${opponent}, your opponent in M${number}, ${what}.`, deadline],
    action: { label: 'Open the match', url: `${publicUrl}/tournaments/${slug}/matches/${number}` },
    reason: `You get this email because you play in ${name}.`,
    unsubscribe,
    fallback: {
      ...withoutNames,
      subject: `Your opponent ${what}`,
      paragraphs: ['Hello,', `Your opponent ${what} of your match.`, deadline, namesLeftOut],
      unsubscribe,
    },
  };
}

/** The email to staff about a tournament that should have started by itself. */
export function startRefusedEmail({
  name,
  slug,
  projectSlug,
  why,
}: {
  name: string;
  slug: string;
  projectSlug: string;
  why: string;
}): Email {
  return {
    subject: `${name} could not start automatically`,
    paragraphs: [
      `The start date of ${name} has passed, but it could not start: ${why}`,
      'Someone may have cancelled at the last moment. Add participants, such as guests, or change the format. Laurel tries again for a day, or you can start it yourself.',
    ],
    action: { label: 'Open the tournament', url: `${publicUrl}/dashboard/${projectSlug}/tournaments/${slug}` },
    reason: 'You received this email because you can start tournaments of the project.',
  };
}
