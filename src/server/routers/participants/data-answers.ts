import { activeRegistrationStatuses } from '@/domain/participants/statuses';
import { checkAnswers } from '@/domain/questions/answers';
import { questionChanges } from '@/domain/questions/changes';
import { patternIssues } from '@/domain/questions/patterns';
import { type CustomFieldDefinition, customFieldDefinition } from '@/domain/tournaments/settings';
import { db } from '@/server/db';
import { refuse } from '@/server/errors';
import { questionsOf, type TournamentContext } from '@/server/routers/participants/data';
import type { QuestionWarning } from '@/server/routers/tournaments/schema';
import { doPiece } from '@/server/worker/pieces';

/** Validates a player's answers to the questions of a tournament, as `checkAnswers` does, when it is the turn of its project. */
export function checkAnswersTo(tournament: TournamentContext, given: Record<string, unknown>) {
  return doPiece(tournament.projectId, () => checkAnswers(questionsOf(tournament), given));
}

/** The questions of a tournament as they were read, and what others instead of them would mean for its participants. */
export type CheckedQuestions = { before: CustomFieldDefinition[]; warnings: QuestionWarning[] };

/**
 * What a change to the questions means for participants: for each changed question, how many answered it, and how many
 * of their answers, or missing answers, the new question would refuse. It takes seconds with thousands of answers, so no
 * transaction waits for it.
 * @throws VALIDATION_FAILED for patterns that no answer can be checked with
 */
export async function checkQuestions(tournamentId: string, next: CustomFieldDefinition[]): Promise<CheckedQuestions> {
  const issues = patternIssues(next);
  if (issues.length > 0) throw refuse('VALIDATION_FAILED', { issues });
  const row = await db.tournament.findUniqueOrThrow({
    where: { id: tournamentId },
    select: { customFields: true, publishedAt: true },
  });
  const before = customFieldDefinition.array().parse(row.customFields);
  return { before, warnings: row.publishedAt ? await questionWarnings(tournamentId, before, next) : [] };
}

async function questionWarnings(
  tournamentId: string,
  before: CustomFieldDefinition[],
  next: CustomFieldDefinition[],
): Promise<QuestionWarning[]> {
  const changes = questionChanges(before, next);
  if (changes.length === 0) return [];
  const keys = changes.map(({ key }) => key);
  const statuses = [...activeRegistrationStatuses];
  const [participants, answersGiven] = await Promise.all([
    db.participant.count({ where: { tournamentId, registrationStatus: { in: statuses } } }),
    db.$queryRaw<{ key: string; value: unknown; count: number }[]>`
      SELECT answer.key, answer.value, count(*)::int AS count
      FROM "participant" p, jsonb_each(p."customFields") answer
      WHERE p."tournamentId" = ${tournamentId} AND p."registrationStatus" = ANY(${statuses}::"registration_status"[])
        AND answer.key = ANY(${keys})
      GROUP BY answer.key, answer.value`,
  ]);
  const nextByKey = new Map(next.map((field) => [field.key, field]));
  const warnings: QuestionWarning[] = [];
  for (const { key, label, changes: kinds } of changes) {
    const field = nextByKey.get(key);
    let [answered, unfit] = [0, 0];
    for (const { value, count } of answersGiven.filter((row) => row.key === key)) {
      answered += count;
      // Each of ten thousand answers can take milliseconds to match with a pattern.
      const fits =
        field && (await doPiece(tournamentId, () => checkAnswers([field], { [key]: value }).issues.length === 0));
      if (field && !fits) unfit += count;
    }
    if (field?.required) unfit += participants - answered;
    warnings.push({ key, label, changes: kinds, answered, unfit });
  }
  return warnings;
}
