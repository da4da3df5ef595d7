import { z } from 'zod';
import { isCurrency } from '@/lib/money';
import { isTimeZone } from '@/lib/time';
import { pageInput, pageOf } from '@/server/envelope';

/** A timestamp on the way out: ISO 8601 in UTC with milliseconds. */
const timestamp = z.iso.datetime().meta({ example: '2026-12-05T18:00:00.000Z' });
/** A timestamp on the way in: ISO 8601 with `Z` or an offset. */
const moment = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 timestamp with a zone, like 2026-12-05T18:00:00Z' })
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
const money = z.object({
  amount: z.number().int().min(0).max(1_000_000_000_000).describe('In the minor unit of the currency (cents for EUR).'),
  currency: z
    .string()
    .refine(isCurrency, { error: 'must be an ISO 4217 code in capitals, like EUR' })
    .meta({ example: 'EUR' }),
});

export const customFieldType = z.enum(['text', 'number', 'select', 'checkbox', 'url']);

export const customFieldDefinition = z.object({
  key: z
    .string()
    .regex(/^[a-zA-Z][a-zA-Z0-9_]{0,39}$/, { error: 'must be letters, digits and _, beginning with a letter' })
    .describe('Name of the answer in `customFields`.'),
  label: z.string().trim().min(1).max(120),
  type: customFieldType,
  required: z.boolean().default(false),
  options: z.array(z.string().trim().min(1).max(120)).max(50).optional().describe('Choices; for `select` alone.'),
  pattern: z
    .string()
    .max(200)
    .optional()
    .describe('Regular expression (RE2 syntax) that the whole answer must match; for `text` alone.'),
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

/** Options of a bracket; which ones a format knows is in `rules.ts`. */
export const formatOptions = z.object({
  bestOf: z
    .number()
    .int()
    .min(1)
    .max(15)
    .refine((value) => value % 2 === 1, { error: 'must be odd' })
    .optional(),
  thirdPlace: z.boolean().optional(),
  grandFinalReset: z.boolean().optional(),
  rounds: z.number().int().min(1).max(20).optional(),
  winsToAdvance: z.number().int().min(1).max(10).optional(),
  lossesToEliminate: z.number().int().min(1).max(10).optional(),
  groups: z.number().int().min(1).max(64).optional(),
  groupAssignments: z.record(z.string(), z.number().int().min(1).max(64)).optional(),
  advancePerGroup: z.number().int().min(1).max(32).optional(),
  legs: z.number().int().min(1).max(2).optional(),
  pointsForWin: z.number().int().min(0).max(100).optional(),
  pointsForDraw: z.number().int().min(0).max(100).optional(),
  pointsForLoss: z.number().int().min(0).max(100).optional(),
  tiebreakers: z.array(tiebreaker).max(9).optional(),
});

/** What an organizer sets. Rules that bind several fields are in `rules.ts`, so that an edit is checked against the whole. */
const settings = z
  .object({
    name: z.string().trim().min(3).max(120),
    description: z.string().max(20_000).describe('Markdown.'),
    rules: z.string().max(50_000).describe('Markdown.'),
    game: z.string().min(1).max(40).describe('Id of a game, like `cs2`.').meta({ example: 'cs2' }),
    format: tournamentFormat,
    teamSize: z.number().int().min(1).max(20).describe('1: individual participants; more: teams.'),
    rosterMin: z.number().int().min(1).max(40).describe('Fewest players on a roster; the team size when left out.'),
    rosterMax: z.number().int().min(1).max(40).describe('Most players on a roster, substitutes included.'),
    maxParticipants: z.number().int().min(2).max(10_000),
    visibility: tournamentVisibility,
    startDate: moment,
    timezone: z
      .string()
      .refine(isTimeZone, { error: 'must be an IANA time zone, like Europe/Berlin' })
      .meta({ example: 'Europe/Berlin' }),
    registrationOpensAt: moment.nullable().describe('null: from publication.'),
    registrationClosesAt: moment.nullable().describe('null: until the start.'),
    checkInOpensAt: moment.nullable().describe('null: closed until an organizer opens it.'),
    checkInClosesAt: moment.nullable().describe('null: until the start.'),
    requiresApproval: z.boolean(),
    waitlistEnabled: z.boolean(),
    allowCancel: z.boolean(),
    allowEdit: z.boolean(),
    requiresAntiCheat: z.boolean(),
    customFields: z.array(customFieldDefinition).max(30),
    entryFee: money.nullable(),
    prizePool: money.nullable(),
    formatOptions,
    slug: z
      .string()
      .min(3)
      .max(80)
      .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, { error: 'must be lower-case letters, digits and single hyphens' })
      .describe('Public address; made from the name when left out.'),
  })
  .partial();
export type SettingsInput = z.infer<typeof settings>;

export const createTournamentInput = settings
  .required({ name: true, game: true, maxParticipants: true, startDate: true })
  .extend({ projectId: z.string() });
export type CreateTournamentInput = z.infer<typeof createTournamentInput>;

export const updateTournamentInput = settings.extend({
  tournamentId: z.string(),
  version: z.number().int().optional().describe('Refused with 412 unless it is the current one; as `If-Match`.'),
});
export type UpdateTournamentInput = z.infer<typeof updateTournamentInput>;

export const tournamentIdInput = z.object({
  tournamentId: z.string().describe('Id or slug.').meta({ example: 'winter-cup' }),
});

/** What a tournament shows in a list. */
export const tournamentSummary = z.object({
  id: z.string().meta({ example: 'trn_01k9zq3v4e8m6t2r5x7c1b0a9d' }),
  slug: z.string(),
  projectId: z.string(),
  project: z.object({ id: z.string(), slug: z.string(), name: z.string() }),
  name: z.string(),
  game: z.string(),
  gameName: z.string(),
  format: tournamentFormat,
  teamSize: z.number().int(),
  maxParticipants: z.number().int(),
  currentParticipants: z.number().int(),
  status: tournamentStatus,
  visibility: tournamentVisibility,
  startDate: timestamp,
  timezone: z.string(),
  registrationOpensAt: timestamp.nullable(),
  registrationClosesAt: timestamp.nullable(),
  checkInOpensAt: timestamp.nullable(),
  checkInClosesAt: timestamp.nullable(),
  registrationOpen: z.boolean().describe('Whether registration was open at `serverTime`.'),
  checkInOpen: z.boolean().describe('Whether check-in was open at `serverTime`.'),
  requiresApproval: z.boolean(),
  waitlistEnabled: z.boolean(),
  entryFee: money.nullable(),
  prizePool: money.nullable(),
  publishedAt: timestamp.nullable(),
  startedAt: timestamp.nullable(),
  completedAt: timestamp.nullable(),
  cancelledAt: timestamp.nullable(),
  version: z.number().int().describe('Value for `If-Match`.'),
  createdAt: timestamp,
  updatedAt: timestamp,
  serverTime: timestamp.describe("The service's clock when it answered, for countdowns."),
});
export type TournamentSummary = z.infer<typeof tournamentSummary>;

/** A tournament with everything an organizer set. */
export const tournamentDetail = tournamentSummary.extend({
  description: z.string(),
  rules: z.string(),
  rosterMin: z.number().int(),
  rosterMax: z.number().int(),
  allowCancel: z.boolean(),
  allowEdit: z.boolean(),
  requiresAntiCheat: z.boolean(),
  customFields: z.array(customFieldDefinition),
  formatOptions,
  waitlistedParticipants: z.number().int().describe('Entrants on the waitlist.'),
  canManage: z.boolean().describe('Whether the caller may manage this tournament.'),
});
export type TournamentDetail = z.infer<typeof tournamentDetail>;

/** Where a tournament stands, as players ask: what can I enter, what is on, what is over. */
export const tournamentPhase = z.enum(['open', 'upcoming', 'check_in', 'live', 'past']);

const search = z.string().trim().max(100).optional().describe('Words of the name, or their beginnings.');

export const listTournamentsInput = pageInput.extend({
  search,
  game: z.string().max(40).optional(),
  format: tournamentFormat.optional(),
  status: z.enum(['PUBLISHED', 'IN_PROGRESS', 'COMPLETED', 'CANCELLED']).optional(),
  phase: tournamentPhase
    .optional()
    .describe(
      '`open`: registration is open; `upcoming`: not yet started; `check_in`: check-in is open; `live`: in progress; `past`: completed or cancelled.',
    ),
  project: z.string().max(80).optional().describe('Id or slug of the organizing project.'),
  sort: z.enum(['startDate', '-startDate']).optional().describe('Default: soonest first, latest first for `past`.'),
});
export type ListTournamentsInput = z.infer<typeof listTournamentsInput>;
export const listTournamentsOutput = pageOf(tournamentSummary);

export const projectTournamentsInput = pageInput.extend({
  projectId: z.string(),
  search,
  game: z.string().max(40).optional(),
  status: tournamentStatus.optional(),
  sort: z.enum(['startDate', '-startDate']).optional(),
});
export const projectTournamentsOutput = pageOf(tournamentSummary).extend({
  counts: z
    .record(tournamentStatus, z.number().int())
    .describe('Tournaments of the project by status, whatever is filtered.'),
});

export const removedTournament = z.object({ id: z.string(), deleted: z.literal(true) });

export const gamesOutput = z.array(z.object({ id: z.string(), name: z.string() }));
