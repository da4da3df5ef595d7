import { activeRegistrationStatuses } from '@/domain/participants/statuses';
import { checkAnswers } from '@/domain/questions/answers';
import { questionChanges } from '@/domain/questions/changes';
import type { CustomFieldDefinition } from '@/domain/tournaments/settings';
import type { Tx } from '@/server/db';
import type { QuestionWarning } from '@/server/routers/tournaments/schema';

/**
 * What a change to the questions means for participants: for each changed question, how many answered it, and how many
 * of their answers, or missing answers, the new question would refuse.
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
  const statuses = [...activeRegistrationStatuses];
  const [participants, answersGiven] = await Promise.all([
    tx.participant.count({ where: { tournamentId, registrationStatus: { in: statuses } } }),
    tx.$queryRaw<{ key: string; value: unknown; count: number }[]>`
      SELECT answer.key, answer.value, count(*)::int AS count
      FROM "participant" p, jsonb_each(p."customFields") answer
      WHERE p."tournamentId" = ${tournamentId} AND p."registrationStatus" = ANY(${statuses}::"registration_status"[])
        AND answer.key = ANY(${keys})
      GROUP BY answer.key, answer.value`,
  ]);
  const nextByKey = new Map(next.map((field) => [field.key, field]));
  return changes.map(({ key, label, changes: kinds }) => {
    const answers = answersGiven.filter((row) => row.key === key);
    const sum = (rows: typeof answers) => rows.reduce((total, { count }) => total + count, 0);
    const answered = sum(answers);
    const field = nextByKey.get(key);
    if (!field) return { key, label, changes: kinds, answered, unfit: 0 };
    const refused = answers.filter(({ value }) => checkAnswers([field], { [key]: value }).issues.length > 0);
    const missing = field.required ? participants - answered : 0;
    return { key, label, changes: kinds, answered, unfit: sum(refused) + missing };
  });
}
