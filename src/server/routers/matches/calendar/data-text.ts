import { publicUrl } from '@/env';
import { db } from '@/server/db';
import { BoundedCache } from '@/server/limits/bounded-cache';
import { doPiece } from '@/server/worker/pieces';
import { type CalendarParticipant, readCalendar } from './data-calendar';
import { toCalendar } from './rules';

/** A calendar as it is answered. Do not change it. */
export type CalendarText = { text: string; slug: string };

/** Bytes of all calendars that are kept: fifty of 250 matches with long names. */
const maxKept = 16 * 1024 * 1024;

/** Calendars by whose they are, each with the digest of what it was made from. */
const kept = new BoundedCache<{ digest: string; calendar: CalendarText }>(maxKept);

/**
 * The text of a calendar, made again when anything in it has changed: of 250 matches that takes eight milliseconds. The caller
 * decides who may see it.
 * @throws NOT_FOUND
 */
export async function readCalendarText(tournamentId: string, participant: CalendarParticipant): Promise<CalendarText> {
  const key = `${tournamentId} ${participant?.id ?? ''}`;
  const read = await readCalendar(db, tournamentId, participant, kept.get(key));
  if ('calendar' in read) return read.calendar;
  const { digest, contents } = read;
  const { projectId, slug } = contents.tournament;
  return doPiece(projectId, () => {
    // Of several who asked at once, the first has made it.
    const now = kept.get(key);
    if (now?.digest === digest) return now.calendar;
    const calendar = { text: toCalendar(contents, publicUrl), slug };
    kept.put(key, { owner: projectId, size: Buffer.byteLength(calendar.text), value: { digest, calendar } });
    return calendar;
  });
}
