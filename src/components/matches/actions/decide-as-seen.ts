import type { Match } from '@/components/matches/types';
import { isSame } from '@/domain/brackets/play/match-state';
import { readError } from '@/trpc/errors';

type Seen = Pick<Match, 'version' | 'status' | 'slots' | 'report' | 'counterReport'>;

/** More changes than this between reading a match and deciding it are refused. */
const maxTries = 5;

/** Whether there is still the same to decide about: who plays in the match, what they reported, and whether that is disputed. */
function isSameToDecide(seen: Seen, now: Seen): boolean {
  const about = ({ status, slots, report, counterReport }: Seen) => ({
    isDisputed: status === 'disputed',
    participants: slots.map(({ participantId }) => participantId),
    reports: [report, counterReport].map((one) => one && { by: one.by, games: one.games, winnerId: one.winnerId }),
  });
  return isSame(about(seen), about(now));
}

/**
 * Decides a match as it was seen. Its version is refused once anything of it has changed, so with the same still to be decided, the
 * new one is sent: players who propose times and withdraw them would keep staff from deciding.
 */
export async function decideAsSeen<Decided>(
  seen: Seen,
  { read, decide }: { read: () => Promise<Seen>; decide: (version: number) => Promise<Decided> },
): Promise<Decided> {
  let { version } = seen;
  for (let tries = 1; ; tries += 1) {
    try {
      return await decide(version);
    } catch (error) {
      if (tries === maxTries || readError(error).reason !== 'VERSION_MISMATCH') throw error;
      const now = await read();
      if (!isSameToDecide(seen, now)) throw error;
      version = now.version;
    }
  }
}
