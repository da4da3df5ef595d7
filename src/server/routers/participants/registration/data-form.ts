import { createHash } from 'node:crypto';
import { z } from 'zod';
import { answersObject } from '@/domain/questions/answers';
import { type CustomFieldDefinition, customFieldDefinition } from '@/domain/tournaments/settings';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { BoundedCache } from '@/server/limits/bounded-cache';
import type { TournamentContext } from '@/server/routers/participants/data';
import { registerInput, teamMember } from '@/server/routers/participants/schema';
import { doPiece } from '@/server/worker/pieces';

type RosterLimits = Pick<TournamentContext, 'rosterMin' | 'rosterMax' | 'teamSize'>;
type FormTournament = RosterLimits &
  Pick<TournamentContext, 'id' | 'projectId' | 'publishedAt' | 'customFieldsVersion'>;

/** What a registration form asks, and the body that it sends as JSON Schema. Do not change it. */
export type FormQuestions = {
  fields: (CustomFieldDefinition & { order: number })[];
  bodySchema: Record<string, unknown>;
};

/** From the schemas that validate a registration. */
function buildBodySchema({ rosterMin, rosterMax, teamSize }: RosterLimits, fields: CustomFieldDefinition[]) {
  const answers = answersObject(fields);
  const customFields = fields.some((field) => field.required) ? answers : answers.optional();
  const { teamName, teamId } = registerInput.shape;
  const teamMembers = z.array(teamMember).min(rosterMin).max(rosterMax).optional();
  // A saved team supplies the name and the players that are left out.
  const ways = { anyOf: [{ required: ['teamName', 'teamMembers'] }, { required: ['teamId'] }] };
  const body =
    teamSize > 1 ? z.object({ teamName, teamMembers, teamId, customFields }).meta(ways) : z.object({ customFields });
  return z.toJSONSchema(body, { io: 'input' });
}

/** Bytes of all forms that are kept, as JSON: 250 of the longest. */
const maxKept = 32 * 1024 * 1024;
const kept = new BoundedCache<FormQuestions>(maxKept);

const noSuchVersion = () => refuse('NOT_FOUND', { message: 'There is no such version of the questions.' });

/** The questions of a version, the current one or an earlier one, as they are stored. */
async function readDefinitions(tx: Tx, tournamentId: string, version: number): Promise<unknown> {
  const [row] = await tx.$queryRaw<{ definitions: unknown }[]>`
    SELECT "customFields" AS "definitions" FROM "tournament" WHERE "id" = ${tournamentId} AND "customFieldsVersion" = ${version}
    UNION ALL
    SELECT "definitions" FROM "custom_field_set" WHERE "tournamentId" = ${tournamentId} AND "version" = ${version}`;
  if (!row) throw noSuchVersion();
  return row.definitions;
}

/** @throws NOT_FOUND for an earlier version that has made room for others */
async function requireVersion(tx: Tx, tournamentId: string, version: number): Promise<void> {
  const set = await tx.customFieldSet.findUnique({
    where: { tournamentId_version: { tournamentId, version } },
    select: { version: true },
  });
  if (!set) throw noSuchVersion();
}

/**
 * What the form of a tournament asks in a version of its questions. A version never changes once the tournament is published, so
 * the form is made once, and in a draft once for the same questions: to make their schema can take twenty milliseconds.
 * @throws NOT_FOUND when there is no such version
 */
export async function readFormQuestions(tx: Tx, tournament: FormTournament, version: number): Promise<FormQuestions> {
  const { id, projectId, teamSize, rosterMin, rosterMax, publishedAt, customFieldsVersion } = tournament;
  const limits = [id, version, teamSize, rosterMin, rosterMax].join(' ');
  const known = kept.get(limits);
  if (known && publishedAt !== null) {
    if (version !== customFieldsVersion) await requireVersion(tx, id, version);
    return known;
  }
  const stored = await readDefinitions(tx, id, version);
  const digest = () => createHash('sha256').update(JSON.stringify(stored)).digest('base64');
  const key = publishedAt === null ? `${limits} ${digest()}` : limits;
  const made = kept.get(key);
  if (made) return made;
  return doPiece(projectId, () => {
    // Of several who asked at once, the first has made it.
    const now = kept.get(key);
    if (now) return now;
    const definitions = customFieldDefinition.array().parse(stored);
    const fields = definitions.map((field, index) => ({ ...field, order: index + 1 }));
    const questions = { fields, bodySchema: buildBodySchema(tournament, definitions) };
    const size = Buffer.byteLength(JSON.stringify(questions));
    kept.put(key, { owner: projectId, size, value: questions });
    return questions;
  });
}
