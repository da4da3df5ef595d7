import { retypedFields } from '@/domain/tournaments/rules';
import { type CustomFieldDefinition, customFieldDefinition } from '@/domain/tournaments/settings';
import type { Tx } from '@/server/db';
import type { Issue } from '@/server/errors';
import { limitOf } from '@/server/limits/quotas';
import { requireRoom } from '@/server/limits/take-quota';

/**
 * Stores an old version of the questions, which participants may have answered. The tournament's row must be locked.
 * @throws QUOTA_EXCEEDED when participants have answered as many versions as can be kept
 */
export async function archiveQuestions(
  tx: Tx,
  set: { tournamentId: string; version: number; definitions: CustomFieldDefinition[]; createdById: string },
): Promise<void> {
  const { tournamentId } = set;
  const count = () => tx.customFieldSet.count({ where: { tournamentId } });
  if ((await count()) >= limitOf('questionVersions')) {
    await tx.$executeRaw`
      DELETE FROM "custom_field_set" s WHERE "tournamentId" = ${tournamentId} AND NOT EXISTS (
        SELECT FROM "participant" p WHERE p."tournamentId" = ${tournamentId} AND p."customFieldsVersion" = s."version")`;
    requireRoom('questionVersions', tournamentId, await count());
  }
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

/** What is read of each question of fifty versions, which may have 64 KiB each. */
export type AskedField = Pick<CustomFieldDefinition, 'key' | 'type' | 'label'>;

/** What was asked before, oldest version first. */
export async function askedBefore(
  tx: Tx,
  tournamentId: string,
): Promise<{ version: number; definitions: AskedField[] }[]> {
  return tx.$queryRaw<{ version: number; definitions: AskedField[] }[]>`
    SELECT s."version", coalesce((
      SELECT jsonb_agg(jsonb_build_object('key', f."field"->'key', 'type', f."field"->'type', 'label', f."field"->'label') ORDER BY f."at")
      FROM jsonb_array_elements(s."definitions") WITH ORDINALITY f("field", "at")
    ), '[]') AS "definitions"
    FROM "custom_field_set" s WHERE s."tournamentId" = ${tournamentId} ORDER BY s."version"`;
}

/** The keys of the questions whose answers are public, by version. */
export type PublicQuestions = ReadonlyMap<number, ReadonlySet<string>>;

/**
 * Which answers are public: the question was public when it was answered, because players may have answered for the
 * organizers only; and it is public now, because organizers can hide it.
 * @param versions that were answered; of each only the keys are read, because anybody may ask
 */
export async function publicQuestions(
  tx: Tx,
  tournament: { id: string; customFieldsVersion: number; definitions: CustomFieldDefinition[] },
  versions: readonly number[],
): Promise<PublicQuestions> {
  const { id, customFieldsVersion: current, definitions } = tournament;
  const now = new Set(definitions.flatMap(({ key, visibility }) => (visibility === 'public' ? [key] : [])));
  if (now.size === 0) return new Map();
  const wanted = [...new Set(versions)].filter((version) => version !== current);
  const earlier =
    wanted.length === 0
      ? []
      : await tx.$queryRaw<{ version: number; keys: string[] }[]>`
          SELECT "version", jsonb_path_query_array("definitions", '$[*] ? (@.visibility == "public").key') AS "keys"
          FROM "custom_field_set" WHERE "tournamentId" = ${id} AND "version" = ANY(${wanted})`;
  const sets = earlier.map(({ version, keys }) => [version, new Set(keys.filter((key) => now.has(key)))] as const);
  return new Map([...sets, [current, now]]);
}

/** Issues for questions whose type differs from an earlier version: answers of all versions share their key. */
export async function retypedQuestions(
  tx: Tx,
  tournamentId: string,
  before: CustomFieldDefinition[],
  next: CustomFieldDefinition[],
): Promise<Issue[]> {
  const earlier = await askedBefore(tx, tournamentId);
  const everAsked = [...earlier.flatMap(({ definitions }) => definitions), ...before];
  return retypedFields(everAsked, next);
}
