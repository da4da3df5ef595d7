import { pool } from '@/server/db';
import { tournamentKey } from '@/server/routers/tournaments/data';
import type { RouteMeta } from '@/server/trpc';
import { hasWorker, offload } from '@/server/worker/offload';
import type { WorkerTurn } from '@/server/worker/thread';

/** What is asked about: a tournament by id or slug, or one by its match. */
export type SizeKey = { tournamentId: string } | { matchId: string };

/**
 * Matches, or participants before the start, from which reading or changing a whole draw holds up everybody else's
 * requests.
 */
const largeFrom = 257;
/** The same where everybody may have to play everybody. */
const largeGroupFrom = 32;

/** How long it is remembered, in ms, that one is large and that it is not: hundreds can join it in one request. */
const largeForMs = 10_000;
const smallForMs = 1_000;
const maxRemembered = 10_000;
/** What can be an id or a slug. Anybody may ask about anything, and what they ask with is remembered. */
const nameable = /^[\w-]{1,100}$/;

/** Bytes of a body that may contain a draw or a hundred participants, each of whose answers may be wrong. */
export const largeBody = 8 * 1024;

/** Whether a call takes long for its own sake, so that it matters how large the draw is at this moment. */
export const isHeavy = ({ quotas }: Pick<RouteMeta, 'quotas'>): boolean => quotas?.includes('heavyCalls') ?? false;

type Size = { projectId: string; isLarge: boolean };
const remembered = new Map<string, { since: number; size: Promise<Size | null> }>();

async function readSize(key: SizeKey): Promise<Size | null> {
  const [name, column, value] =
    'matchId' in key
      ? ['match', `(SELECT m."tournamentId" FROM "match" m WHERE m."id" = $1)`, key.matchId]
      : ['id' in tournamentKey(key.tournamentId) ? 'id' : 'slug', '$1', key.tournamentId];
  const { rows } = await pool.query<{
    projectId: string;
    matches: number | null;
    participants: number;
    format: string;
  }>({
    name: `size_by_${name}`,
    text: `SELECT t."projectId", t."currentParticipants" AS participants, t."format",
        (SELECT max(x."number") FROM "match" x WHERE x."tournamentId" = t."id") AS matches
      FROM "tournament" t WHERE t."${name === 'slug' ? 'slug' : 'id'}" = ${column}`,
    values: [value],
  });
  const [row] = rows;
  if (!row) return null;
  const { projectId, matches, participants, format } = row;
  const inGroups = format === 'round_robin' || format === 'groups_to_knockout';
  const isLarge = (matches ?? participants) >= (inGroups && matches === null ? largeGroupFrom : largeFrom);
  return { projectId, isLarge };
}

function remember(text: string, key: SizeKey): Promise<Size | null> {
  if (remembered.size >= maxRemembered) remembered.clear();
  const size = readSize(key);
  remembered.set(text, { since: performance.now(), size });
  size.catch(() => remembered.delete(text));
  return size;
}

/**
 * Whether the draw of a tournament is so large that the worker thread reads and changes it.
 * @param use a project's draws are read by anybody and changed by few, who do not wait for the readers
 * @param afresh whether nothing but that it was large may be remembered, as for every change: to draw is no short work
 * @returns whose turn it has to be: that of the project, for this use; null when it is not large, or does not exist
 */
export async function ownerOfLarge(
  key: SizeKey,
  use: 'read' | 'change',
  { afresh = use === 'change' } = {},
): Promise<string | null> {
  const [kind, name] = 'matchId' in key ? ['match', key.matchId] : ['tournament', key.tournamentId];
  if (!nameable.test(name)) return null;
  const text = `${kind} ${name}`;
  const now = performance.now();
  const known = remembered.get(text);
  let size = known && now - known.since < largeForMs ? await known.size : null;
  if (!known || (!size?.isLarge && (afresh || now - known.since > smallForMs))) size = await remember(text, key);
  return size?.isLarge ? `${size.projectId} ${use}` : null;
}

/**
 * Work on the draw of one tournament, which the worker thread does when it is large.
 * @returns a function that takes the input and, for a request, who asks and whether they still wait
 */
export function offloadLarge<Input extends SizeKey, Output>(
  name: string,
  use: 'read' | 'change',
  work: (input: Input) => Promise<Output>,
): (input: Input, asking?: Omit<WorkerTurn, 'owner'>) => Promise<Output> {
  const workElsewhere = offload(name, work);
  return async (input, asking) => {
    const owner = hasWorker() ? await ownerOfLarge(input, use) : null;
    return owner === null ? work(input) : workElsewhere({ ...asking, owner }, input);
  };
}
