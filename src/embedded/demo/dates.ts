import { db } from '@/server/db';
import { demoTournaments, otherTournaments } from './content';
import { as } from './people';
import { renewWebhooks } from './webhooks';

const moments = [
  'startDate',
  'registrationOpensAt',
  'registrationClosesAt',
  'checkInOpensAt',
  'checkInClosesAt',
] as const;
type Schedule = Partial<Record<(typeof moments)[number], Date | string | null>>;

/** The schedule as milliseconds from the start, null where a time is unset. */
function shapeOf(schedule: Schedule): (number | null)[] {
  const at = (moment: Date | string | null | undefined) => (moment ? new Date(moment).getTime() : null);
  const start = at(schedule.startDate) ?? 0;
  return moments.map((name) => {
    const moment = at(schedule[name]);
    return moment === null ? null : moment - start;
  });
}

/** The first start of a demo seeded at `now` (milliseconds), ISO 8601: from then on its dates are stale. */
export function freshUntil(now: number): string {
  const running = demoTournaments(now).filter(({ publishedDaysAgo, cancelled }) => publishedDaysAgo && !cancelled);
  return running.map(({ settings }) => new Date(settings.startDate).toISOString()).sort()[0] ?? '';
}

/**
 * Gives the demo's tournaments new dates, as if it were seeded now, once the first of them has started. One whose
 * schedule somebody has changed, or that is cancelled or played, is left alone. `now` in milliseconds.
 * @returns how many were moved.
 */
export async function renewDemo(now: number): Promise<number> {
  const organizer = await db.user.findUnique({
    where: { email: 'organizer@demo.test' },
    select: { id: true, email: true },
  });
  if (!organizer) return 0;
  const { pro, free } = otherTournaments(now);
  const contents = [...demoTournaments(now), pro, free].map(({ settings }) => settings);
  const rows = await db.tournament.findMany({
    where: {
      project: { slug: { in: ['demo', 'demo-pro', 'demo-free'] } },
      name: { in: contents.map(({ name }) => name) },
      createdById: organizer.id,
      status: { in: ['DRAFT', 'PUBLISHED'] },
    },
    select: {
      id: true,
      name: true,
      status: true,
      startDate: true,
      registrationOpensAt: true,
      registrationClosesAt: true,
      checkInOpensAt: true,
      checkInClosesAt: true,
    },
  });
  if (!rows.some(({ status, startDate }) => status === 'PUBLISHED' && startDate.getTime() <= now)) return 0;

  await renewWebhooks(now);
  let moved = 0;
  for (const { id: tournamentId, name, ...schedule } of rows) {
    const fresh = contents.find((settings) => settings.name === name);
    if (!fresh || shapeOf(fresh).join() !== shapeOf(schedule).join()) continue;
    const { startDate, registrationOpensAt, registrationClosesAt, checkInOpensAt, checkInClosesAt } = fresh;
    const windows = { registrationOpensAt, registrationClosesAt, checkInOpensAt, checkInClosesAt };
    await as(organizer).tournaments.update({ tournamentId, startDate, ...windows });
    moved += 1;
  }
  return moved;
}
