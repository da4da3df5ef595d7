import type { ZodType } from 'zod';
import type { HttpRequest } from '@/server/http/exchange';
import { readInTurn } from '@/server/http/turns/turns';
import { appRouter } from '@/server/routers/_app';
import {
  extentOf,
  findLarge,
  isHeavy,
  type LargeDraw,
  type LargeTurn,
  largeBody,
  refuseSeveral,
  turnOfBody,
} from '@/server/routers/matches/data-size';
import { turnOfFile } from '@/server/routers/matches/exchange/data-turn';
import { isBatch, metaOf, procedures } from './calls';

const isOfFile = (name: string): boolean => metaOf(name).wholeDraw === 'of a file';

/**
 * The tournament of a call by its id or slug, or one of its matches, as the procedure's own schema names it, and the
 * participants who may leave the draw or return.
 */
type WholeDrawInput = { tournamentId?: string; matchId?: string; id?: string; participantIds?: unknown[] };
const ids = ['tournamentId', 'matchId', 'id'] as const;

/** Reads what a request sends to its procedures. @returns what one gets, by its place; throws for what tRPC refuses */
function readSent(query: string, body: string | null): (at: number) => unknown {
  const { deserialize } = appRouter._def._config.transformer.input;
  const sent = JSON.parse(body ?? new URLSearchParams(query).get('input') ?? '{}');
  return (at) => deserialize(isBatch(query) ? sent[at] : sent);
}

/**
 * What names the draw in the input of a procedure, as the procedure gets it: what a schema does not know must not decide whose turn
 * the request takes. The rest is checked in that turn: to say all that is wrong with it can take milliseconds.
 * @returns null where the procedure refuses it
 */
function wholeDrawInput(name: string, input: unknown): WholeDrawInput | null {
  const shape: Record<string, ZodType | undefined> = Object.assign(
    {},
    ...(procedures[name]?._def.inputs ?? []).map((schema) => schema.shape),
  );
  const sent = typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
  const found: WholeDrawInput = {};
  for (const id of ids) {
    const parsed = shape[id]?.safeParse(sent[id]);
    if (parsed && !parsed.success) return null;
    found[id] = parsed?.data as string | undefined;
  }
  const { participantIds } = sent;
  if (shape.participantIds && Array.isArray(participantIds)) found.participantIds = participantIds;
  return found;
}

/** The same of those procedures of a request that read or change a whole draw. */
function wholeDrawInputs(names: string[], query: string, body: string | null): WholeDrawInput[] {
  const inputs: WholeDrawInput[] = [];
  try {
    const inputOf = readSent(query, body);
    for (const [at, name] of names.entries()) {
      if (!metaOf(name).wholeDraw) continue;
      const input = wholeDrawInput(name, inputOf(at));
      // A call that is refused reads nothing; others of its batch do.
      if (input) inputs.push(input);
    }
  } catch {
    // What is no plain JSON has all calls refused.
    return [];
  }
  return inputs;
}

/** The file that one of the procedures of a request imports; undefined when tRPC refuses it. */
function readFile(names: string[], query: string, body: string): unknown {
  try {
    return readSent(query, body)(names.findIndex(isOfFile));
  } catch {
    return undefined;
  }
}

/**
 * Whose turn a request takes in a worker thread, if one of its procedures concerns a large draw.
 * @param account who sends it; null where nobody knows
 * @param signal that they have gone
 * @throws VALIDATION_FAILED when they concern several, or work one out several times
 */
export async function largeTurn(
  names: string[],
  { query, ip }: HttpRequest,
  body: string | null,
  account: string | null,
  signal: AbortSignal | undefined,
): Promise<LargeTurn | null> {
  const ofDraws = names.map(metaOf).filter(({ wholeDraw }) => wholeDraw);
  if (body !== null && names.some(isOfFile)) {
    return ofDraws.length > 1 ? refuseSeveral() : turnOfFile(ip, body.length, () => readFile(names, query, body));
  }
  // To read a long body would take this thread, and nobody has checked yet whether it may take the turns of whom it names.
  if (body !== null && body.length > largeBody)
    return ofDraws.length > 1 ? refuseSeveral() : turnOfBody(ip, body.length);
  const heavy = ofDraws.filter(isHeavy).length;
  const use = body === null ? 'read' : 'change';
  const extent = extentOf(ofDraws);
  let found: LargeDraw | null = null;
  const asker = { ip, caller: account ?? '', kinds: [], signal };
  const inTurn = <Result>(read: () => Promise<Result>) => readInTurn(asker, read);
  for (const input of wholeDrawInputs(names, query, body)) {
    const { matchId, tournamentId: named, id: tournamentId = named, participantIds } = input;
    const key = matchId ? { matchId } : tournamentId ? { tournamentId } : null;
    const times = new Set(participantIds).size || 1;
    if (!key) continue;
    const find = (isHeavy: boolean) => findLarge(key, use, { isHeavy, ...extent, times, inTurn });
    // What was large a moment ago is refused without a look at what it is now.
    const large = (heavy > 1 ? await find(false) : null) ?? (await find(heavy > 0));
    if (large && (heavy > 1 || (found && large.tournamentId !== found.tournamentId))) refuseSeveral();
    found ??= large;
  }
  const isSeveral = ofDraws.length > 1 && (heavy > 0 || use === 'change');
  return found && { ...found, isLong: isSeveral || found.isLong };
}
