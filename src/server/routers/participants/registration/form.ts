import { isRegistrationOpen, registrationWindow } from '@/domain/tournaments/schedule';
import { reasons } from '@/server/errors';
import { factsOf, tournamentContextSelect } from '@/server/routers/participants/data';
import { decide } from '@/server/routers/participants/rules';
import { registrationForm, registrationFormInput, rosterRole } from '@/server/routers/participants/schema';
import { findVisible } from '@/server/routers/tournaments/data';
import { publicProcedure } from '@/server/trpc';
import { readFormQuestions } from './data-form';

/** The questions are read only when their form is not kept. */
const { customFields: _customFields, ...contextSelect } = tournamentContextSelect;

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
      select: { ...contextSelect, allowEdit: true },
    });
    const current = tournament.customFieldsVersion;
    const version = input.version ?? current;
    const { fields, bodySchema } = await readFormQuestions(ctx.db, tournament, version);

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
      fields,
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
      bodySchema,
      serverTime: now.toISOString(),
    };
  });
