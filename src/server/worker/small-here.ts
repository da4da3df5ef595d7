import { refuse } from '@/server/errors';
import { hasWorker } from './offload';

/** A draw with so many matches is not worked on here, though it had few when its size was asked for. */
const mostHere = 1_028;

/**
 * Keeps the thread that answers everybody from work on a draw that has become large since its size was asked for.
 * @param matches that it has, or at most will have
 * @throws OVERLOADED (503): when it is tried again, a worker thread does it
 */
export function requireSmallHere(matches: number): void {
  if (!hasWorker() || matches < mostHere) return;
  throw refuse('OVERLOADED', { message: 'The draw has just become much larger. Try again.', retryAfter: 1 });
}
