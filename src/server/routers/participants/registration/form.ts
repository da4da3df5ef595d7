import { z } from 'zod';
import { answersObject } from '@/domain/questions/answers';
import { isRegistrationOpen, registrationWindow } from '@/domain/tournaments/schedule';
import { type CustomFieldDefinition, customFieldDefinition } from '@/domain/tournaments/settings';
import { reasons, refuse } from '@/server/errors';
import {
  factsOf,
  questionsOf,
  type TournamentContext,
  tournamentContextSelect,
} from '@/server/routers/participants/data';
import { decide } from '@/server/routers/participants/rules';
import {
  registerInput,
  registrationForm,
  registrationFormInput,
  rosterRole,
  teamMember,
} from '@/server/routers/participants/schema';
import { findVisible } from '@/server/routers/tournaments/data';
import { publicProcedure } from '@/server/trpc';

type RosterLimits = Pick<TournamentContext, 'rosterMin' | 'rosterMax' | 'teamSize'>;

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

const cache = new Map<string, Record<string, unknown>>();
const maxCacheSize = 100;

/** The body of a registration as JSON Schema, from the schemas that validate it. Do not change it. */
function bodySchemaOf({ rosterMin, rosterMax, teamSize }: RosterLimits, fields: CustomFieldDefinition[]) {
  const key = JSON.stringify([rosterMin, rosterMax, teamSize, fields]);
  const cached = cache.get(key);
  if (cached) return cached;
  const schema = buildBodySchema({ rosterMin, rosterMax, teamSize }, fields);
  // Building it takes as long as everything else of a response, and questions rarely change.
  if (cache.size >= maxCacheSize) cache.clear();
  cache.set(key, schema);
  return schema;
}

const iso = (moment: number | null) => (moment === null ? null : new Date(moment).toISOString());

export const form = publicProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/tournaments/{tournamentId}/registration/form',
      tags: ['Participants'],
      summary: 'Describe the registration form',
      description:
        'Everything needed to build a form: the questions, the roster limits, whether registration is open, and a JSON Schema of the body to send. Use `version` for the questions that earlier answers belong to.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(registrationFormInput)
  .output(registrationForm)
  .query(async ({ ctx, input }) => {
    const { id } = await findVisible(input.tournamentId, await ctx.user());
    const tournament = await ctx.db.tournament.findUniqueOrThrow({
      where: { id },
      select: { ...tournamentContextSelect, allowEdit: true },
    });
    const current = tournament.customFieldsVersion;
    const version = input.version ?? current;
    let fields = questionsOf(tournament);
    if (version !== current) {
      const key = { tournamentId: id, version };
      const set = await ctx.db.customFieldSet.findUnique({
        where: { tournamentId_version: key },
        select: { definitions: true },
      });
      if (!set) throw refuse('NOT_FOUND', { message: 'There is no such version of the questions.' });
      fields = customFieldDefinition.array().parse(set.definitions);
    }

    const now = new Date();
    const facts = factsOf(tournament, now);
    const decision = decide('register', null, facts);
    const outcome = decision.denial ? null : decision.to.registrationStatus;
    const window = registrationWindow(tournament);
    const { teamSize, rosterMin, rosterMax } = tournament;
    return {
      tournamentId: id,
      name: tournament.name,
      type: teamSize > 1 ? ('team' as const) : ('individual' as const),
      fields: fields.map((field, index) => ({ ...field, order: index + 1 })),
      customFieldsVersion: version,
      currentCustomFieldsVersion: current,
      team: teamSize > 1 ? { teamSize, rosterMin, rosterMax, roles: [...rosterRole.options] } : null,
      registrationOpen: isRegistrationOpen(tournament, now.getTime()),
      opensAt: iso(window.opensAt),
      closesAt: new Date(window.closesAt).toISOString(),
      maxParticipants: tournament.maxParticipants,
      currentParticipants: tournament.currentParticipants,
      full: facts.full,
      waitlistEnabled: tournament.waitlistEnabled,
      requiresApproval: tournament.requiresApproval,
      allowEdit: tournament.allowEdit,
      allowCancel: tournament.allowCancel,
      outcome: outcome === 'approved' || outcome === 'pending' || outcome === 'waitlisted' ? outcome : null,
      refusal: decision.denial
        ? { code: decision.denial.reason, message: decision.denial.message ?? reasons[decision.denial.reason].message }
        : null,
      bodySchema: bodySchemaOf(tournament, fields),
      serverTime: now.toISOString(),
    };
  });
