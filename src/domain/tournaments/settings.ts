import { z } from 'zod';
import { isCurrency } from '@/domain/money/money';
import { hasPlainYear, isTimeZone } from '@/domain/time/time';

function whole(min: number, max: number) {
  const message = `Use a whole number from ${min} to ${max.toLocaleString('en')}.`;
  return z.number(message).int(message).min(min, message).max(max, message);
}

/** A timestamp on the way in: ISO 8601 with `Z` or an offset, in the years 1 to 9999. */
export const moment = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 timestamp with a zone, like 2026-12-05T18:00:00Z' })
  .refine(hasPlainYear, 'must lie in the years 1 to 9999')
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
  amount: whole(0, 1_000_000_000_000).describe('In the minor unit of the currency (cents for EUR).'),
  currency: z
    .string()
    .refine(isCurrency, { error: 'Use a currency code of three capitals, like EUR.' })
    .meta({ example: 'EUR' }),
});

const customFieldType = z.enum(['text', 'number', 'select', 'checkbox', 'url']);

export const customFieldDefinition = z.object({
  key: z
    .string()
    .regex(/^[a-zA-Z][a-zA-Z0-9_]{0,39}$/, { error: 'Use letters, digits and _, beginning with a letter.' })
    .describe('Name of the answer in `customFields`.'),
  label: z.string().trim().min(1, 'Enter the question.').max(120, 'Use at most 120 characters.'),
  type: customFieldType,
  required: z.boolean().default(false),
  options: z
    .array(z.string().trim().min(1, 'Leave no choice empty.').max(120, 'Use at most 120 characters.'))
    .max(50, 'Use at most 50 choices.')
    .optional()
    .describe('Choices; for `select` alone.'),
  pattern: z
    .string()
    .max(200, 'Use at most 200 characters.')
    .optional()
    .describe('Regular expression (RE2 syntax) that the whole answer must match; for `text` alone.'),
  helpText: z
    .string()
    .trim()
    .max(300, 'Use at most 300 characters.')
    .optional()
    .describe('A sentence under the question: where to find the answer, which form it has.'),
  visibility: z.enum(['public', 'organizers']).default('organizers'),
});
export type CustomFieldDefinition = z.infer<typeof customFieldDefinition>;

const tiebreaker = z.enum([
  'points',
  'wins',
  'head_to_head',
  'score_difference',
  'scores_for',
  'buchholz',
  'median_buchholz',
  'sonneborn_berger',
  'seed',
]);

/** Options of a bracket; which ones a format knows is in `tournament-rules.ts`. */
export const formatOptions = z.object({
  bestOf: whole(1, 15)
    .refine((value) => value % 2 === 1, { error: 'Use an odd number.' })
    .optional(),
  thirdPlace: z.boolean().optional(),
  grandFinalReset: z.boolean().optional(),
  rounds: whole(1, 20).optional(),
  winsToAdvance: whole(1, 10).optional(),
  lossesToEliminate: whole(1, 10).optional(),
  groups: whole(1, 64).optional(),
  groupAssignments: z.record(z.string(), whole(1, 64)).optional(),
  advancePerGroup: whole(1, 32).optional(),
  legs: whole(1, 2).optional(),
  pointsForWin: whole(0, 100).optional(),
  pointsForDraw: whole(0, 100).optional(),
  pointsForLoss: whole(0, 100).optional(),
  tiebreakers: z.array(tiebreaker).max(9).optional(),
});

/** What an organizer sets, each by itself; what binds several is in `tournament-rules.ts`. Amounts of money in minor units. */
export const tournamentSettings = z
  .object({
    name: z.string().trim().min(3, 'Use at least 3 characters.').max(120, 'Use at most 120 characters.'),
    description: z.string().max(20_000, 'Use at most 20,000 characters.').describe('Markdown.'),
    rules: z.string().max(50_000, 'Use at most 50,000 characters.').describe('Markdown.'),
    game: z.string().min(1, 'Choose a game.').max(40).describe('Id of a game, like `cs2`.').meta({ example: 'cs2' }),
    format: tournamentFormat,
    teamSize: whole(1, 20).describe('1: individual participants; more: teams.'),
    rosterMin: whole(1, 40).describe('Fewest players on a roster; the team size when left out.'),
    rosterMax: whole(1, 40).describe('Most players on a roster, substitutes included.'),
    maxParticipants: whole(2, 10_000),
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
    rosterLockAt: moment.nullable().describe('From when captains cannot change rosters; null: from the start.'),
    requiresApproval: z.boolean(),
    waitlistEnabled: z.boolean(),
    allowCancel: z.boolean(),
    allowEdit: z.boolean(),
    requiresAntiCheat: z.boolean(),
    customFields: z.array(customFieldDefinition).max(30, 'Ask at most 30 questions.'),
    entryFee: money.nullable(),
    prizePool: money.nullable(),
    formatOptions,
    slug: z
      .string()
      .min(3, 'Use at least 3 characters.')
      .max(80, 'Use at most 80 characters.')
      .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, { error: 'Use lower-case letters, digits and single hyphens.' })
      .describe('Public address; made from the name when left out.'),
  })
  .partial();
export type SettingsInput = z.infer<typeof tournamentSettings>;
