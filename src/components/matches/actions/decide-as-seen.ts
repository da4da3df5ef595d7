import type { Match } from '@/components/matches/types';
import { isSame } from '@/domain/brackets/play/match-state';
import { readError } from '@/trpc/errors';

/** What staff see of a match that they decide. */
export type Seen = Pick<Match, 'version' | 'status' | 'slots' | 'report' | 'counterReport' | 'startedAt'>;

/** More changes than this between reading a match and deciding it are refused. */
const maxTries = 5;

/** Something else is reported by now, or whether that is disputed has changed. */
export class ReportsChanged extends Error {
  override name = 'ReportsChanged';
  readonly data = { reason: 'VERSION_MISMATCH', httpStatus: 412 };

  constructor(readonly now: Seen) {
    super('The reports have changed since you looked at them, so nothing was saved.');
  }
}

function hasSamePair(seen: Seen, now: Seen): boolean {
  return seen.slots.every(({ participantId }, side) => participantId === now.slots[side]?.participantId);
}

function hasSameReports(seen: Seen, now: Seen): boolean {
  const about = ({ status, report, counterReport }: Seen) => ({
    isDisputed: status === 'disputed',
    reports: [report, counterReport].map((one) => one && { by: one.by, games: one.games, winnerId: one.winnerId }),
  });
  return isSame(about(seen), about(now));
}

/**
 * Decides a match as it was seen. Its version is refused once anything of it has changed, so with the same still to be decided, the
 * new one is sent: players who propose times and withdraw them would keep staff from deciding.
 * @param how.anyReports whatever is reported by now, for staff who know that it has changed: players may change their reports again
 *   and again
 * @throws ReportsChanged
 */
export async function decideAsSeen<Decided>(
  seen: Seen,
  how: {
    anyReports: boolean;
    read: () => Promise<Seen>;
    /** Whether it can still be decided in this way. */
    isPossible: (now: Seen) => boolean;
    decide: (version: number) => Promise<Decided>;
  },
): Promise<Decided> {
  let { version } = seen;
  for (let tries = 1; ; tries += 1) {
    try {
      return await how.decide(version);
    } catch (error) {
      if (tries === maxTries || readError(error).reason !== 'VERSION_MISMATCH') throw error;
      const now = await how.read();
      if (!hasSamePair(seen, now) || !how.isPossible(now)) throw error;
      if (!how.anyReports && !hasSameReports(seen, now)) throw new ReportsChanged(now);
      version = now.version;
    }
  }
}
