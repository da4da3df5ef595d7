import { checkAnswers } from '@/domain/questions/answers';
import { questionChanges } from '@/domain/questions/changes';
import { retypedFields } from '@/domain/tournaments/rules';
import { type CustomFieldDefinition, customFieldDefinition } from '@/domain/tournaments/settings';
import type { Tx } from '@/server/db';
import type { Issue } from '@/server/errors';
import type { QuestionWarning } from '@/server/routers/tournaments/schema';

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

/**
 * What a change of the questions means to those who are registered: how many answered each question that changes, and
 * how many of their answers, or missing answers, would be refused from now on.
 */
export async function questionWarnings(
  tx: Tx,
  tournamentId: string,
  before: CustomFieldDefinition[],
  next: CustomFieldDefinition[],
): Promise<QuestionWarning[]> {
  const changes = questionChanges(before, next);
  if (changes.length === 0) return [];
  const keys = changes.map(({ key }) => key);
  const live = { tournamentId, registrationStatus: { in: ['pending', 'approved', 'waitlisted'] } } as const;
  const [entrants, given] = await Promise.all([
    tx.participant.count({ where: { ...live, registrationStatus: { in: [...live.registrationStatus.in] } } }),
    tx.$queryRaw<{ key: string; value: unknown; count: number }[]>`
      SELECT answer.key, answer.value, count(*)::int AS count
      FROM "participant" p, jsonb_each(p."customFields") answer
      WHERE p."tournamentId" = ${tournamentId} AND p."registrationStatus" IN ('pending', 'approved', 'waitlisted')
        AND answer.key = ANY(${keys})
      GROUP BY answer.key, answer.value`,
  ]);
  const asks = new Map(next.map((field) => [field.key, field]));
  return changes.map(({ key, label, changes: kinds }) => {
    const answers = given.filter((row) => row.key === key);
    const sum = (rows: typeof answers) => rows.reduce((total, { count }) => total + count, 0);
    const answered = sum(answers);
    const field = asks.get(key);
    if (!field) return { key, label, changes: kinds, answered, unfit: 0 };
    const refused = answers.filter(({ value }) => checkAnswers([field], { [key]: value }).issues.length > 0);
    return { key, label, changes: kinds, answered, unfit: sum(refused) + (field.required ? entrants - answered : 0) };
  });
}
