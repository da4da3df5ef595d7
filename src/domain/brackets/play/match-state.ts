import type { Match, SlotIndex } from '@/domain/brackets/types';

/** Whether a match has its outcome: a result, a draw, a forfeit or a bye. */
export function isDecided(match: Pick<Match, 'status'>): boolean {
  return match.status === 'completed' || match.status === 'forfeited';
}

/** Whether people decided the match, and not a bye or a departure. */
export function isReported(match: Pick<Match, 'decidedBy'>): boolean {
  return match.decidedBy === 'result' || match.decidedBy === 'forfeit';
}

/** Whether people are playing a match or arguing about it. */
export function isRunning({ status }: Pick<Match, 'status'>): boolean {
  return status === 'in_progress' || status === 'disputed';
}

/** Slot of a participant in a match; null when they are not in it. */
export function slotOf(match: Match, participantId: string): SlotIndex | null {
  if (match.slots[0].participantId === participantId) return 0;
  return match.slots[1].participantId === participantId ? 1 : null;
}

/** Who lost a decided match; null when nobody did, or when both sides forfeited. */
export function loserOf(match: Match): string | null {
  if (match.winnerId === null) return null;
  const [first, second] = match.slots;
  return first.participantId === match.winnerId ? second.participantId : first.participantId;
}

/** Equality of plain JSON values. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isRecord(a) || !isRecord(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
