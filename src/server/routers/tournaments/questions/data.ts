import { retypedFields } from '@/domain/tournaments/rules';
import { type CustomFieldDefinition, customFieldDefinition } from '@/domain/tournaments/settings';
import type { Tx } from '@/server/db';
import type { Issue } from '@/server/errors';

/** Stores an old version of the questions, which participants may have answered. */
export async function archiveQuestions(
  tx: Tx,
  set: { tournamentId: string; version: number; definitions: CustomFieldDefinition[]; createdById: string },
): Promise<void> {
  await tx.customFieldSet.create({ data: set, select: { version: true } });
}

/** All earlier versions of the questions, oldest first. */
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

/** The keys of the questions whose answers are public, by version. */
export type PublicQuestions = ReadonlyMap<number, ReadonlySet<string>>;

/**
 * Which answers are public: the question was public when it was answered, because players may have answered for the
 * organizers only; and it is public now, because organizers can hide it.
 */
export async function publicQuestions(
  tx: Tx,
  tournament: { id: string; customFieldsVersion: number; definitions: CustomFieldDefinition[] },
): Promise<PublicQuestions> {
  const publicKeys = (definitions: CustomFieldDefinition[]) =>
    definitions.flatMap(({ key, visibility }) => (visibility === 'public' ? [key] : []));
  const { id, customFieldsVersion: version, definitions } = tournament;
  const now = new Set(publicKeys(definitions));
  if (now.size === 0) return new Map();
  const earlier = version > 1 ? await earlierQuestions(tx, id) : [];
  const sets = [...earlier, { version, definitions }];
  return new Map(sets.map((set) => [set.version, new Set(publicKeys(set.definitions).filter((key) => now.has(key)))]));
}

/** Issues for questions whose type differs from an earlier version: answers of all versions share their key. */
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
