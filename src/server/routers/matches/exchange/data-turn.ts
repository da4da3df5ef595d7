import { z } from 'zod';
import { matchesAtMost, validateOptions } from '@/domain/brackets/options';
import { isLongBody, isLongDraw, type LargeTurn, largeBody, ownerOfBody } from '@/server/routers/matches/data-size';
import { defaults } from '@/server/routers/tournaments/data-settings';
import { laurelFile } from './schema';

const some = z.array(z.unknown());

/** What in a file decides how long an import takes. */
const sizedFile = z.object({
  tournament: laurelFile.shape.tournament.pick({ format: true, formatOptions: true }),
  participants: some.default([]),
  bracket: z.object({ participants: some, matches: some }).nullish(),
});

/** A number of matches that a file does not exceed, or null where it will be refused. */
function matchesInFile(file: unknown): number | null {
  const { success, data } = sizedFile.safeParse(file);
  if (!success) return null;
  const { tournament, participants, bracket } = data;
  const { format = defaults.format, formatOptions = {} } = tournament;
  if (validateOptions(format, formatOptions).length > 0) return null;
  const players = Math.max(participants.length, bracket?.participants.length ?? 0);
  return Math.max(matchesAtMost(format, formatOptions, players), bracket?.matches.length ?? 0);
}

/**
 * Whose turn it is to import a file, of which a few kilobytes can be thousands of matches.
 * @param bytes of the request
 * @param readFile called where those alone do not say it; what it throws, this throws too
 */
export async function turnOfFile(ip: string, bytes: number, readFile: () => unknown): Promise<LargeTurn> {
  const owner = ownerOfBody(ip);
  if (isLongBody(bytes)) return { owner, isLong: true };
  const matches = matchesInFile(await readFile());
  // To say everything that is wrong with a file takes time as well.
  return { owner, isLong: matches === null ? bytes > largeBody : isLongDraw(matches) };
}
