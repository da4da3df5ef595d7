import type { ParticipantState } from '@/domain/participants/statuses';
import { formatInstant } from '@/domain/time/zones';
import { publicUrl } from '@/env';
import type { Email } from '@/server/email/layout';
import { unsubscribeAddresses } from '@/server/email/unsubscribe';

/** What happened to an entrant, as its event tells. */
export type ParticipantNotice = ParticipantState & {
  type: string;
  previous: ParticipantState | null;
  reason: string | null;
  /** The team's name; null: a player entered alone. */
  team: string | null;
  /** Whether the player or captain did it. */
  bySelf: boolean;
  /** Of a substitution: who left the roster and who came. */
  out?: { id: string; name: string };
  in?: { id: string; name: string };
};

export type Reader = { id: string; name: string; timezone: string | null; isCaptain: boolean };

export type LetterTournament = {
  slug: string;
  name: string;
  startDate: Date;
  timezone: string;
  checkInOpensAt: Date | null;
};

/** What a letter says: the end of its subject, and its sentences. */
type Message = { subject: string; lines: string[]; withTimes?: boolean };

/** `Night Owls is`, or `you are` within a sentence and `You are` at its beginning. */
const whoIs = ({ team }: ParticipantNotice) => (team ? `${team} is` : 'you are');
const whoIsAtStart = ({ team }: ParticipantNotice) => (team ? `${team} is` : 'You are');
const because = ({ reason }: ParticipantNotice) => (reason ? [`The reason given: ${reason}`] : []);

function registered(news: ParticipantNotice, reader: Reader): Message {
  const { team, bySelf, registrationStatus } = news;
  const entered = !reader.isCaptain
    ? `You stand on the roster with which ${team} registered.`
    : bySelf
      ? 'Your registration has arrived.'
      : `The organizer has registered ${team ?? 'you'}.`;
  switch (registrationStatus) {
    case 'pending':
      return {
        subject: 'registration received',
        lines: [entered, 'The organizer looks at it now; you will hear from us.'],
        withTimes: true,
      };
    case 'waitlisted':
      return {
        subject: 'on the waitlist',
        lines: [
          entered,
          `Every slot is taken, so ${whoIs(news)} on the waitlist. When a slot becomes free, you will hear from us.`,
        ],
        withTimes: true,
      };
    default:
      return { subject: `${whoIs(news)} in`, lines: [entered, `${whoIsAtStart(news)} in.`], withTimes: true };
  }
}

function substituted(news: ParticipantNotice, reader: Reader): Message {
  const { team, out, in: came } = news;
  if (reader.id === out?.id) {
    return {
      subject: `you no longer play for ${team}`,
      lines: [`${came?.name} has taken your place on the roster of ${team}.`, ...because(news)],
    };
  }
  if (reader.id === came?.id) {
    return {
      subject: `you play for ${team}`,
      lines: [`You stand on the roster of ${team} now, in the place of ${out?.name}.`, ...because(news)],
      withTimes: true,
    };
  }
  return {
    subject: `${came?.name} plays for ${team}`,
    lines: [`${came?.name} has taken the place of ${out?.name} on the roster of ${team}.`, ...because(news)],
  };
}

/** What there is to tell of an event; null when nothing is. */
function messageOf(news: ParticipantNotice, reader: Reader): Message | null {
  const { type, team, previous } = news;
  const your = team ? `the registration of ${team}` : 'your registration';
  switch (type) {
    case 'participant.registered':
      return registered(news, reader);
    case 'participant.approved':
      return previous?.registrationStatus === 'waitlisted'
        ? {
            subject: `a slot is free, and ${whoIs(news)} in`,
            lines: [`A slot has become free, and ${whoIs(news)} off the waitlist: you play.`],
            withTimes: true,
          }
        : { subject: `${whoIs(news)} in`, lines: [`The organizer has approved ${your}.`], withTimes: true };
    case 'participant.rejected':
      return {
        subject: 'registration not accepted',
        lines: [`The organizer has not accepted ${your}.`, ...because(news)],
      };
    case 'participant.waitlisted':
      // Who registers onto the waitlist is told so by the letter about that.
      if (!previous || previous.registrationStatus === 'cancelled') return null;
      return {
        subject: 'moved to the waitlist',
        lines: [`The organizer has moved ${team ?? 'you'} to the end of the waitlist.`],
      };
    case 'participant.withdrawn':
      return news.bySelf
        ? null
        : { subject: 'registration cancelled', lines: [`The organizer has cancelled ${your}.`] };
    case 'participant.removed':
      return { subject: 'registration removed', lines: [`The organizer has removed ${your}.`, ...because(news)] };
    case 'participant.disqualified':
      return {
        subject: `${whoIs(news)} disqualified`,
        lines: [`The organizer has disqualified ${team ?? 'you'}.`, ...because(news)],
      };
    case 'participant.reinstated':
      return {
        subject: `${whoIs(news)} back in`,
        lines: [
          `The organizer has taken back ${previous?.status === 'no_show' ? 'the no-show' : 'the disqualification'}: ${whoIs(news)} back in.`,
        ],
        withTimes: true,
      };
    case 'participant.no_show':
      return {
        subject: 'missed',
        lines: [
          `${whoIsAtStart(news)} counted as a no-show, having missed check-in or a match.`,
          'If that is wrong, tell the organizer: it can be taken back.',
        ],
      };
    case 'participant.substituted':
      return substituted(news, reader);
    default:
      return null;
  }
}

function timesOf(tournament: LetterTournament, zone: string): string[] {
  const at = (date: Date) => formatInstant(date.toISOString(), zone);
  const { checkInOpensAt, startDate } = tournament;
  const checkIn = checkInOpensAt && checkInOpensAt > new Date() ? [`Check-in opens ${at(checkInOpensAt)}.`] : [];
  return startDate > new Date() ? [`It starts ${at(startDate)}.`, ...checkIn] : [];
}

function letterOf(reader: Reader, tournament: LetterTournament, message: Message): Email {
  const { name, slug } = tournament;
  const times = message.withTimes ? timesOf(tournament, reader.timezone ?? tournament.timezone) : [];
  return {
    subject: `${name}: ${message.subject}`,
    paragraphs: [`Hello ${reader.name},`, ...message.lines, ...(times.length > 0 ? [times.join(' ')] : [])],
    action: { label: `Open ${name}`, url: `${publicUrl}/tournaments/${slug}` },
    reason: `You get this because you registered for ${name}, or a captain put you on a roster.`,
    unsubscribe: unsubscribeAddresses(reader.id),
  };
}

/** The letter to one reader about what happened to an entrant; null when they need none. Times are in their zone. */
export function participantEmail(news: ParticipantNotice, reader: Reader, tournament: LetterTournament): Email | null {
  const message = messageOf(news, reader);
  return message && letterOf(reader, tournament, message);
}

/** Tells an entrant that the whole tournament is off. */
export function cancellationEmail(reader: Omit<Reader, 'isCaptain'>, tournament: LetterTournament): Email {
  const at = formatInstant(tournament.startDate.toISOString(), reader.timezone ?? tournament.timezone);
  const lines = [`The organizer has called ${tournament.name} off. It was to start ${at}.`];
  return letterOf({ ...reader, isCaptain: false }, tournament, { subject: 'cancelled', lines });
}
