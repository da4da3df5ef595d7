import { z } from 'zod';
import { TIEBREAKERS } from '@/domain/brackets/types';
import { isCurrency } from '@/domain/money/money';
import { lineField, optionalLineField } from '@/domain/text/line';
import { pageSlugs } from '@/domain/text/slug';
import { hasPlainYear, isTimeZone } from '@/domain/time/time';

function whole(min: number, max: number) {
  const message = `Use a whole number from ${min} to ${max.toLocaleString('en')}.`;
  return z.number(message).int(message).min(min, message).max(max, message);
}

/** A timestamp in an input: ISO 8601 with `Z` or an offset, in the years 1 to 9999. */
export const moment = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 timestamp with a zone, like 2026-12-05T18:00:00Z' })
  .refine(hasPlainYear, 'must be in the years 1 to 9999')
  .meta({ example: '2026-12-05T18:00:00.000Z' });

export const tournamentStatus = z.enum(['DRAFT', 'PUBLISHED', 'IN_PROGRESS', 'COMPLETED', 'CANCELLED']);
export const tournamentFormat = z.enum([
  'single_elimination',
  'double_elimination',
  'round_robin',
  'swiss',
  'groups_to_knockout',
]);
export const tournamentVisibility = z.enum(['public', 'unlisted', 'private']);

/** An amount in the currency's minor unit. */
export const money = z.object({
  amount: whole(0, 1_000_000_000_000).describe('In the minor unit of the currency by ISO 4217 (cents for EUR).'),
  currency: z
    .string()
    .refine(isCurrency, { error: 'Use a currency code of three upper-case letters, like EUR.' })
    .meta({ example: 'EUR' }),
});

const customFieldType = z.enum(['text', 'number', 'select', 'checkbox', 'url']);

/** A question, also as it was stored earlier: what binds new ones only is for `customFields` of the settings to say. */
export const customFieldDefinition = z.object({
  key: z
    .string()
    .regex(/^[a-zA-Z][a-zA-Z0-9_]{0,39}$/, { error: 'Use letters, digits and _, starting with a letter.' })
    .describe('Key of the answer in `customFields`.'),
  label: lineField({ max: 120, empty: 'Enter the question.' }),
  type: customFieldType,
  required: z.boolean().default(false),
  options: z
    .array(lineField({ max: 120, empty: 'Leave no choice empty.' }))
    .max(50, 'Use at most 50 choices.')
    .optional()
    .describe('The choices, only for `select`.'),
  pattern: z
    .string()
    .max(200, 'Use at most 200 characters.')
    .optional()
    .describe('Regular expression (RE2 syntax) that the whole answer must match, only for `text`.'),
  helpText: z
    .string()
    .trim()
    .max(300, 'Use at most 300 characters.')
    .optional()
    .describe('Shown below the question, for example where to find the answer.'),
  visibility: z.enum(['public', 'organizers']).default('organizers'),
});
export type CustomFieldDefinition = z.infer<typeof customFieldDefinition>;

const bestOf = whole(1, 99);

/** Options of a bracket, each by itself; what a format knows and what binds several is checked by the bracket engine. */
export const formatOptions = z.object({
  bestOf: bestOf.optional().describe('Most games of a match; odd where a match needs a winner.'),
  bestOfOverrides: z
    .array(
      z.object({
        bracket: z.enum(['winners', 'losers', 'final', 'group']),
        round: whole(1, 100).optional().describe('Counted from 1 within the bracket.'),
        roundsFromEnd: whole(1, 100).optional().describe('1 is the last round.'),
        bestOf,
      }),
    )
    .max(50)
    .optional()
    .describe('Other lengths of some matches; of several that fit, the last wins.'),
  thirdPlace: z.boolean().optional(),
  grandFinalReset: z.boolean().optional(),
  legs: z.union([z.literal(1), z.literal(2)]).optional(),
  groups: whole(1, 256).optional(),
  groupAssignments: z
    .array(z.object({ participantId: z.string().max(60), group: whole(1, 256) }))
    .max(1024)
    .optional()
    .describe('Participants who are put into a group by hand; the others are spread by seed.'),
  advancePerGroup: whole(1, 256).optional(),
  groupFormat: z.enum(['round_robin', 'gsl']).optional(),
  knockoutFormat: z.enum(['single_elimination', 'double_elimination']).optional(),
  rounds: whole(1, 100).optional(),
  winsToAdvance: whole(1, 20).optional(),
  lossesToEliminate: whole(1, 20).optional(),
  playoffs: whole(0, 256).optional().describe('How many go on to a knockout, a power of two; 0: none.'),
  pointsForWin: z.number().min(0).max(1000).optional(),
  pointsForDraw: z.number().min(0).max(1000).optional(),
  pointsForLoss: z.number().min(0).max(1000).optional(),
  tiebreakers: z.array(z.enum(TIEBREAKERS)).max(TIEBREAKERS.length).optional(),
});

/** `confirm`: players report and their opponents confirm. `staff`: only staff enters results. */
export const resultMode = z.enum(['confirm', 'staff']);

/** Characters of all questions as JSON. Fifty versions of them are read together. */
const maxQuestionsLength = 65_536;

/** Most who can have a slot; fewer can play. */
export const mostParticipants = 10_000;

/** What an organizer can set, each field by itself. `rules.ts` checks the combination. */
export const tournamentSettings = z
  .object({
    name: optionalLineField(120).min(3, 'Use at least 3 characters.'),
    description: z.string().max(20_000, 'Use at most 20,000 characters.').describe('Markdown.'),
    rules: z.string().max(50_000, 'Use at most 50,000 characters.').describe('Markdown.'),
    game: z.string().min(1, 'Choose a game.').max(40).describe('Id of a game, like `cs2`.').meta({ example: 'cs2' }),
    format: tournamentFormat,
    teamSize: whole(1, 20).describe('1: individual participants; more: teams.'),
    rosterMin: whole(1, 40).describe('Minimum players on a roster. Default: the team size.'),
    rosterMax: whole(1, 40).describe('Maximum players on a roster, including substitutes.'),
    maxParticipants: whole(2, mostParticipants),
    visibility: tournamentVisibility,
    startDate: moment,
    timezone: z
      .string()
      .refine(isTimeZone, { error: 'Use an IANA time zone, like Europe/Berlin.' })
      .meta({ example: 'Europe/Berlin' }),
    registrationOpensAt: moment.nullable().describe('null: from publication.'),
    registrationClosesAt: moment.nullable().describe('null: until the start.'),
    checkInOpensAt: moment.nullable().describe('null: closed until an organizer opens it.'),
    checkInClosesAt: moment.nullable().describe('null: until the start.'),
    rosterLockAt: moment.nullable().describe('From then on, captains cannot change rosters. null: from the start.'),
    requiresApproval: z.boolean(),
    waitlistEnabled: z.boolean(),
    allowCancel: z.boolean(),
    allowEdit: z.boolean(),
    requiresAntiCheat: z.boolean(),
    customFields: z
      .array(customFieldDefinition)
      .max(30, 'Ask at most 30 questions.')
      .refine(
        (questions) => JSON.stringify(questions).length <= maxQuestionsLength,
        `All questions together have at most ${maxQuestionsLength.toLocaleString('en')} characters as JSON.`,
      ),
    entryFee: money.nullable(),
    prizePool: money.nullable(),
    formatOptions,
    autoStart: z.boolean().describe('Starts by itself at the start date.'),
    noShowGraceMinutes: whole(0, 1440).describe(
      'From the call of a match until who is missing may be given a forfeit.',
    ),
    resultMode,
    autoConfirmMinutes: whole(1, 10_080).describe('After which silence confirms a reported result.'),
    slug: z
      .string()
      .min(3, 'Use at least 3 characters.')
      .max(80, 'Use at most 80 characters.')
      .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, { error: 'Use lower-case letters, digits and single hyphens.' })
      .refine((slug) => !pageSlugs.includes(slug), { error: 'This is the address of another page.' })
      .describe('The public address. Default: made from the name.'),
  })
  .partial();
export type SettingsInput = z.infer<typeof tournamentSettings>;
