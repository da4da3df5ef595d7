import type { QueueInput } from '@/components/anticheat/types';
import { antiCheatGames } from '@/domain/anticheat/games';
import { reviewStatuses, severities } from '@/domain/anticheat/reviews';
import { ruleKeys } from '@/domain/anticheat/rules';

/** Detections on a page of the queue. */
const perPage = 25;

/** The filters of the queue in the query parameters; `all` of `status` also shows what is reviewed. */
const filterNames = ['status', 'severity', 'rule', 'game', 'tournament', 'match', 'player'] as const;

const oneOf = <Value extends string>(values: readonly Value[], given: string | null) =>
  values.find((value) => value === given);

/** The input of the queue for query parameters. Unknown values are ignored; without `status` it is what nobody reviewed. */
export function queueInput(projectId: string, params: URLSearchParams): QueueInput & { page: number } {
  const status = params.get('status');
  const page = Number(params.get('page') ?? 1);
  const text = (name: string) => params.get(name)?.slice(0, 64) || undefined;
  return {
    projectId,
    status: status === 'all' ? undefined : (oneOf(reviewStatuses, status) ?? 'unreviewed'),
    severity: oneOf(severities, params.get('severity')),
    rule: oneOf(ruleKeys, params.get('rule')),
    game: oneOf(antiCheatGames, params.get('game')),
    tournamentId: text('tournament'),
    matchId: text('match'),
    userId: text('player'),
    page: Number.isInteger(page) && page >= 1 && page <= 10_000 ? page : 1,
    limit: perPage,
  };
}

/** Whether anything but the status is filtered. */
export function isFiltered(params: URLSearchParams): boolean {
  return filterNames.some((name) => name !== 'status' && params.get(name));
}

/** The query parameters that take all filters but the status away. */
export const clearedFilters = Object.fromEntries(
  filterNames.filter((name) => name !== 'status').map((name) => [name, null]),
);

/** Whether a detection still belongs into a list with the status. */
export function hasStatus({ verdict }: { verdict: string | null }, status: QueueInput['status']): boolean {
  return status === undefined || status === (verdict ?? 'unreviewed');
}
