import { retypedFields } from '@/domain/tournaments/rules';
import { type CustomFieldDefinition, customFieldDefinition } from '@/domain/tournaments/settings';
import type { Tx } from '@/server/db';
import type { Issue } from '@/server/errors';

/** Keeps the questions of a version that entrants may have answered. */
export async function archiveQuestions(
  tx: Tx,
  set: { tournamentId: string; version: number; definitions: CustomFieldDefinition[]; createdById: string },
): Promise<void> {
  await tx.customFieldSet.create({ data: set, select: { version: true } });
}

/** The questions of every earlier version of a tournament, oldest first. */
export async function earlierQuestions(
  tx: Tx,
  tournamentId: string,
): Promise<{ version: number; definitions: CustomFieldDefinition[] }[]> {
  const sets = await tx.customFieldSet.findMany({
    where: { tournamentId },
    orderBy: { version: 'asc' },
    select: { version: true, definitions: true },
  });
  return sets.map(({ version, definitions }) => ({
    version,
    definitions: customFieldDefinition.array().parse(definitions),
  }));
}

/** The keys of the questions whose answers everyone sees, by the version that was answered. */
export type PublicQuestions = ReadonlyMap<number, ReadonlySet<string>>;

/**
 * Which answers everyone sees: those to questions that were public when they were answered, so that nobody is shown what
 * they told the organizers alone, and that are public now, so that an organizer can take them back.
 */
export async function publicQuestions(
  tx: Tx,
  tournament: { id: string; customFieldsVersion: number; definitions: CustomFieldDefinition[] },
): Promise<PublicQuestions> {
  const open = (definitions: CustomFieldDefinition[]) =>
    definitions.flatMap(({ key, visibility }) => (visibility === 'public' ? [key] : []));
  const { id, customFieldsVersion: version, definitions } = tournament;
  const now = new Set(open(definitions));
  if (now.size === 0) return new Map();
  const earlier = version > 1 ? await earlierQuestions(tx, id) : [];
  const sets = [...earlier, { version, definitions }];
  return new Map(sets.map((set) => [set.version, new Set(open(set.definitions).filter((key) => now.has(key)))]));
}

/** Questions that would have another type than an earlier version gave their key; answers are told apart by key. */
export async function retypedQuestions(
  tx: Tx,
  tournamentId: string,
  before: CustomFieldDefinition[],
  next: CustomFieldDefinition[],
): Promise<Issue[]> {
  const earlier = await earlierQuestions(tx, tournamentId);
  const everAsked = [...earlier.flatMap(({ definitions }) => definitions), ...before];
  return retypedFields(everAsked, next);
}
