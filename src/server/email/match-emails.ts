import { formatInstant } from '@/domain/time/zones';
import { publicUrl } from '@/env';
import { type Email, namesLeftOut } from '@/server/email/layout';
import { unsubscribeAddresses } from '@/server/email/unsubscribe';

/**
 * The email that calls a player to a match. Times are in their zone. The opponent chose their name: one that a mail server
 * refuses must not keep the player from being called, so the fallback has no names.
 */
export function callEmail(
  recipient: { id: string; name: string; timezone: string | null },
  called: {
    slug: string;
    name: string;
    timezone: string;
    number: number;
    opponent: string;
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
      subject: 'Your match is called',
      paragraphs: ['Hello,', `Your match was called. Go to your match and be there by ${by}.`, deadline, namesLeftOut],
      action: { label: 'My tournaments', url: `${publicUrl}/me` },
      reason: 'You get this email because you play in a tournament on Laurel.',
      unsubscribe,
    },
  };
}
