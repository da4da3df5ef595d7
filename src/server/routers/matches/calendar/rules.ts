import {
  escape as escapeText,
  ICalCalendar,
  ICalCalendarMethod,
  type ICalEventData,
  ICalEventStatus,
} from 'ical-generator';
import { roundName, sourceName } from '@/domain/brackets/names';
import { fold } from '@/domain/text/calendar-lines';
import { lastMoment } from '@/domain/time/time';
import { checkInWindow } from '@/domain/tournaments/schedule';
import type { CalendarContents, CalendarTournament, ScheduledMatch } from './data-calendar';

/** How long a match takes up in a calendar; nobody knows how long it will be. */
const matchMs = 60 * 60_000;
/** How often calendars that subscribe should ask again. */
const refreshSeconds = 15 * 60;

function opponents({ slots, names }: ScheduledMatch): string {
  return `${names[0] ?? sourceName(slots[0])} vs ${names[1] ?? sourceName(slots[1])}`;
}

/** When a match ends in a calendar; null where that is in a year of five digits, which no calendar can read. */
function endOfMatch({ scheduledAt }: ScheduledMatch): Date | null {
  const end = new Date(scheduledAt.getTime() + matchMs);
  return end.getTime() <= lastMoment ? end : null;
}

/** When a tournament ends as far as anyone knows; null while nobody does. */
function endOf({ startDate, completedAt }: CalendarTournament, matches: readonly ScheduledMatch[]): Date | null {
  const last = matches.at(-1);
  const end = completedAt ?? (last ? endOfMatch(last) : null);
  return end && end > startDate ? end : null;
}

/**
 * An iCalendar file (RFC 5545) of a tournament: the tournament itself, its check-in, and the scheduled matches. The same
 * contents make the same file: an entry keeps its UID, and its SEQUENCE is the version of the row it shows.
 * @param siteUrl without a slash at the end
 */
export function toCalendar({ tournament, matches, participant }: CalendarContents, siteUrl: string): string {
  const { host } = new URL(siteUrl);
  const page = `${siteUrl}/tournaments/${tournament.slug}`;
  const calendar = new ICalCalendar({
    // The library writes this one as it is, so that a line break would begin a property of its own.
    name: escapeText(
      (participant === null ? tournament.name : `${participant} · ${tournament.name}`).replace(/\p{Cc}+/gu, ' '),
      false,
    ),
    prodId: { company: 'Laurel', product: 'Laurel', language: 'EN' },
    method: ICalCalendarMethod.PUBLISH,
    url: page,
    ttl: refreshSeconds,
  });
  const end = 'END:VCALENDAR';
  const head = calendar.toString().slice(0, -end.length);
  const entries: string[] = [];
  const add = (entry: ICalEventData) => entries.push(calendar.createEvent(entry).toString());
  const isCancelled = tournament.status === 'CANCELLED';
  const status = isCancelled ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED;
  const whole = {
    sequence: tournament.version,
    stamp: tournament.updatedAt,
    lastModified: tournament.updatedAt,
    status,
  };
  add({
    ...whole,
    id: `${tournament.id}@${host}`,
    start: tournament.startDate,
    end: endOf(tournament, matches),
    summary: tournament.name,
    url: page,
  });
  const checkIn = checkInWindow(tournament);
  if (checkIn.opensAt !== null && checkIn.opensAt < checkIn.closesAt) {
    add({
      ...whole,
      id: `${tournament.id}.check-in@${host}`,
      start: new Date(checkIn.opensAt),
      end: new Date(checkIn.closesAt),
      summary: `Check-in: ${tournament.name}`,
      url: page,
    });
  }
  for (const match of matches) {
    const { stageType, bracket, round, rounds, bestOf } = match;
    const place = roundName(stageType, { bracket, round, rounds });
    add({
      id: `${match.id}@${host}`,
      sequence: match.version,
      stamp: match.updatedAt,
      lastModified: match.updatedAt,
      status,
      start: match.scheduledAt,
      end: endOfMatch(match),
      summary: `${opponents(match)} · ${tournament.name}`,
      description: `${match.stageName}, ${place}, match ${match.number}${bestOf > 1 ? `, best of ${bestOf}` : ''}`,
      location: match.station,
      url: `${page}/matches/${match.number}`,
    });
  }
  return head + fold(entries.join('')) + end;
}
