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
/** Matches from which it takes long: a double elimination of 1,024 has 2,047. */
const longFrom = 2_049;

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

type Size = { projectId: string; isLarge: boolean; isLong: boolean };
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
  // Before the start, no more than the draw can have.
  const expected = matches ?? (inGroups ? (participants * (participants - 1)) / 2 : 2 * participants);
  return { projectId, isLarge, isLong: expected >= longFrom };
}

function remember(text: string, key: SizeKey): Promise<Size | null> {
  if (remembered.size >= maxRemembered) remembered.clear();
  const size = readSize(key);
  remembered.set(text, { since: performance.now(), size });
  size.catch(() => remembered.delete(text));
  return size;
}

/** Whose turn work on a large draw takes in the worker threads. */
export type LargeTurn = { owner: string; isLong: boolean };

/**
 * Whether the draw of a tournament is so large that a worker thread reads and changes it.
 * @param use a project's draws are read by anybody and changed by few, who do not wait for the readers
 * @param afresh whether nothing but that it was large may be remembered, as for every change: to draw is no short work
 * @returns whose turn it has to be: that of the project, for this use; null when it is not large, or does not exist
 */
export async function turnOfLarge(
  key: SizeKey,
  use: 'read' | 'change',
  { afresh = use === 'change' } = {},
): Promise<LargeTurn | null> {
  const [kind, name] = 'matchId' in key ? ['match', key.matchId] : ['tournament', key.tournamentId];
  if (!nameable.test(name)) return null;
  const text = `${kind} ${name}`;
  const now = performance.now();
  const known = remembered.get(text);
  let size = known && now - known.since < largeForMs ? await known.size : null;
  if (!known || (!size?.isLarge && (afresh || now - known.since > smallForMs))) size = await remember(text, key);
  return size?.isLarge ? { owner: `${size.projectId} ${use}`, isLong: size.isLong } : null;
}

/**
 * Work on the draw of one tournament, which a worker thread does when it is large.
 * @returns a function that takes the input and, for a request, who asks and whether they still wait
 */
export function offloadLarge<Input extends SizeKey, Output>(
  name: string,
  use: 'read' | 'change',
  work: (input: Input) => Promise<Output>,
): (input: Input, asking?: Omit<WorkerTurn, 'owner' | 'isLong'>) => Promise<Output> {
  const workElsewhere = offload(name, work);
  return async (input, asking) => {
    const turn = hasWorker() ? await turnOfLarge(input, use) : null;
    return turn === null ? work(input) : workElsewhere({ ...asking, ...turn }, input);
  };
}
