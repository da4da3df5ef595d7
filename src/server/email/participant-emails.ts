import type { ParticipantState } from '@/domain/participants/statuses';
import { formatInstant } from '@/domain/time/zones';
import { publicUrl } from '@/env';
import { type Email, namesLeftOut } from '@/server/email/layout';
import { unsubscribeAddresses } from '@/server/email/unsubscribe';

/** What happened to a participant, from the event about it. */
export type ParticipantNotice = ParticipantState & {
  type: string;
  previous: ParticipantState | null;
  reason: string | null;
  /** The team's name; null for an individual. */
  team: string | null;
  /** Whether the player or captain did it themselves. */
  bySelf: boolean;
  /** For a substitution: the player who left the roster and the one who joined. */
  out?: { id: string; name: string };
  in?: { id: string; name: string };
};

type Recipient = { id: string; name: string; timezone: string | null; isCaptain: boolean };

type EmailTournament = {
  slug: string;
  name: string;
  startDate: Date;
  timezone: string;
  checkInOpensAt: Date | null;
};

/** The end of the subject, and the sentences. */
type Message = { subject: string; lines: string[]; withTimes?: boolean };

/** `Night Owls is`, or `you are` within a sentence. */
const subjectIs = ({ team }: ParticipantNotice) => (team ? `${team} is` : 'you are');
/** The same at the beginning of a sentence. */
const subjectIsAtStart = ({ team }: ParticipantNotice) => (team ? `${team} is` : 'You are');
const reasonLine = ({ reason }: ParticipantNotice) => (reason ? [`Reason: ${reason}`] : []);

function registered(notice: ParticipantNotice, recipient: Recipient): Message {
  const { team, bySelf, registrationStatus } = notice;
  const opening = !recipient.isCaptain
    ? `${team} registered with you on its roster.`
    : bySelf
      ? 'We received your registration.'
      : `The organizer registered ${team ?? 'you'}.`;
  switch (registrationStatus) {
    case 'pending':
      return {
        subject: 'registration received',
        lines: [opening, 'The organizer has to approve it. We will email you when they decide.'],
        withTimes: true,
      };
    case 'waitlisted':
      return {
        subject: 'on the waitlist',
        lines: [
          opening,
          `Every slot is taken, so ${subjectIs(notice)} on the waitlist. We will email you when a slot opens up.`,
        ],
        withTimes: true,
      };
    default:
      return {
        subject: `${subjectIs(notice)} in`,
        lines: [opening, `${subjectIsAtStart(notice)} in the tournament.`],
        withTimes: true,
      };
  }
}

function substituted(notice: ParticipantNotice, recipient: Recipient): Message {
  const { team, out, in: substitute } = notice;
  if (recipient.id === out?.id) {
    return {
      subject: `you no longer play for ${team}`,
      lines: [`${substitute?.name} replaced you on the roster of ${team}.`, ...reasonLine(notice)],
    };
  }
  if (recipient.id === substitute?.id) {
    return {
      subject: `you play for ${team}`,
      lines: [`You replaced ${out?.name} on the roster of ${team}.`, ...reasonLine(notice)],
      withTimes: true,
    };
  }
  return {
    subject: `${substitute?.name} plays for ${team}`,
    lines: [`${substitute?.name} replaced ${out?.name} on the roster of ${team}.`, ...reasonLine(notice)],
  };
}

/** The message about an event; null when the recipient needs none. */
function messageFor(notice: ParticipantNotice, recipient: Recipient): Message | null {
  const { type, team, previous } = notice;
  const registration = team ? `the registration of ${team}` : 'your registration';
  switch (type) {
    case 'participant.registered':
      return registered(notice, recipient);
    case 'participant.approved':
      return previous?.registrationStatus === 'waitlisted'
        ? {
            subject: `a slot opened up, and ${subjectIs(notice)} in`,
            lines: [`A slot opened up: ${subjectIs(notice)} off the waitlist and in the tournament.`],
            withTimes: true,
          }
        : { subject: `${subjectIs(notice)} in`, lines: [`The organizer approved ${registration}.`], withTimes: true };
    case 'participant.rejected':
      return {
        subject: 'registration rejected',
        lines: [`The organizer rejected ${registration}.`, ...reasonLine(notice)],
      };
    case 'participant.waitlisted':
      // The email about a registration already says that it is on the waitlist.
      if (!previous || previous.registrationStatus === 'cancelled') return null;
      return {
        subject: 'moved to the waitlist',
        lines: [`The organizer moved ${team ?? 'you'} to the end of the waitlist.`],
      };
    case 'participant.withdrawn':
      return notice.bySelf
        ? null
        : { subject: 'registration cancelled', lines: [`The organizer cancelled ${registration}.`] };
    case 'participant.removed':
      return {
        subject: 'registration removed',
        lines: [`The organizer removed ${registration}.`, ...reasonLine(notice)],
      };
    case 'participant.disqualified':
      return {
        subject: `${subjectIs(notice)} disqualified`,
        lines: [`The organizer disqualified ${team ?? 'you'}.`, ...reasonLine(notice)],
      };
    case 'participant.reinstated':
      return {
        subject: `${subjectIs(notice)} back in`,
        lines: [
          `The organizer undid the ${previous?.status === 'no_show' ? 'no-show' : 'disqualification'}: ${subjectIs(notice)} back in the tournament.`,
        ],
        withTimes: true,
      };
    case 'participant.no_show':
      return {
        subject: 'no-show',
        lines: [
          `${subjectIsAtStart(notice)} marked as a no-show for missing check-in or a match.`,
          'If this is a mistake, contact the organizer. They can undo it.',
        ],
      };
    case 'participant.substituted':
      return substituted(notice, recipient);
    default:
      return null;
  }
}

function timesOf(tournament: EmailTournament, zone: string): string[] {
  const at = (date: Date) => formatInstant(date.toISOString(), zone);
  const { checkInOpensAt, startDate } = tournament;
  const checkIn = checkInOpensAt && checkInOpensAt > new Date() ? [`Check-in opens ${at(checkInOpensAt)}.`] : [];
  return startDate > new Date() ? [`The tournament starts ${at(startDate)}.`, ...checkIn] : [];
}

/** What happened, without a word that somebody else wrote. */
function withoutNames(notice: ParticipantNotice): ParticipantNotice {
  const { team, out, in: substitute } = notice;
  return {
    ...notice,
    team: team && 'your team',
    reason: null,
    ...(out && { out: { ...out, name: 'another player' } }),
    ...(substitute && { in: { ...substitute, name: 'a player' } }),
  };
}

const toSentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param plain the message without names, for a mail server that refuses one of them */
function toEmail(recipient: Recipient, tournament: EmailTournament, message: Message, plain: Message): Email {
  const { name, slug } = tournament;
  const times = message.withTimes ? timesOf(tournament, recipient.timezone ?? tournament.timezone) : [];
  const timesLine = times.length > 0 ? [times.join(' ')] : [];
  const unsubscribe = unsubscribeAddresses(recipient.id);
  return {
    subject: `${name}: ${message.subject}`,
    paragraphs: [`Hello ${recipient.name},`, ...message.lines, ...timesLine],
    action: { label: `Open ${name}`, url: `${publicUrl}/tournaments/${slug}` },
    reason: `You get this email because you registered for ${name}, or a captain put you on a roster.`,
    unsubscribe,
    fallback: {
      subject: `Your tournament: ${plain.subject}`,
      paragraphs: ['Hello,', ...plain.lines.map(toSentence), ...timesLine, namesLeftOut],
      action: { label: 'My tournaments', url: `${publicUrl}/me` },
      reason: 'You get this email because you registered for a tournament, or a captain put you on a roster.',
      unsubscribe,
    },
  };
}

/** The email to one recipient about what happened to a participant; null when they need none. Times are in their zone. */
export function participantEmail(
  notice: ParticipantNotice,
  recipient: Recipient,
  tournament: EmailTournament,
): Email | null {
  const message = messageFor(notice, recipient);
  const plain = messageFor(withoutNames(notice), recipient);
  return message && plain && toEmail(recipient, tournament, message, plain);
}

/**
 * The one email to a player whom someone else put on a roster. It names neither the person nor the tournament: the
 * reader has not agreed to hear from them, and the app has both.
 */
export function rosterNoticeEmail(userId: string): Email {
  return {
    subject: 'You were added to a tournament on Laurel',
    paragraphs: [
      'Hello,',
      'Someone added you to their registration for a tournament. Sign in to see who and which one, and accept or leave.',
      'Until you accept, we send you no further email about it.',
    ],
    action: { label: 'My tournaments', url: `${publicUrl}/me` },
    reason: 'You get this email because you have an account on Laurel.',
    unsubscribe: unsubscribeAddresses(userId),
  };
}

/** The email that says that a tournament was cancelled. */
export function cancellationEmail(recipient: Omit<Recipient, 'isCaptain'>, tournament: EmailTournament): Email {
  const at = formatInstant(tournament.startDate.toISOString(), recipient.timezone ?? tournament.timezone);
  const about = (name: string): Message => ({
    subject: 'cancelled',
    lines: [`The organizer cancelled ${name}. It was scheduled to start ${at}.`],
  });
  return toEmail({ ...recipient, isCaptain: false }, tournament, about(tournament.name), about('your tournament'));
}
