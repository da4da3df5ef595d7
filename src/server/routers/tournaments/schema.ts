import { z } from 'zod';
import { nameField } from '@/domain/accounts/forms';
import { questionChangeKinds } from '@/domain/questions/changes';
import {
  formatOptions,
  moment,
  money,
  resultMode,
  tournamentFormat,
  tournamentSettings,
  tournamentStatus,
  tournamentVisibility,
} from '@/domain/tournaments/settings';
import { pageInput, pageOf } from '@/server/paging';
import { imageFields } from '@/server/storage/grants';
import { isChecked, questionList } from './questions/data-kept';

/** A timestamp in a response: ISO 8601 in UTC with milliseconds. */
const timestamp = z.iso.datetime().meta({ example: '2026-12-05T18:00:00.000Z' });
export const createTournamentInput = tournamentSettings
  .required({ name: true, game: true, maxParticipants: true, startDate: true })
  .extend({ projectId: z.string() });

export const updateTournamentInput = tournamentSettings.extend({
  tournamentId: z.string(),
  version: z.number().int().optional().describe('Refused with 412 unless it is the current version, like `If-Match`.'),
});

export const tournamentIdInput = z.object({
  tournamentId: z.string().describe('Id or slug.').meta({ example: 'winter-cup' }),
});

/** A tournament in a list. */
const tournamentSummary = z.object({
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
  bannerUrl: z.url().nullable().describe('URL of the image at the top of its page.'),
  publishedAt: timestamp.nullable(),
  startedAt: timestamp.nullable(),
  completedAt: timestamp.nullable(),
  cancelledAt: timestamp.nullable(),
  version: z.number().int().describe('Value for `If-Match`.'),
  createdAt: timestamp,
  updatedAt: timestamp,
  serverTime: timestamp.describe("The server's time at the response, for countdowns."),
});
export type TournamentSummary = z.infer<typeof tournamentSummary>;

const detail = tournamentSummary.extend({
  description: z.string(),
  rules: z.string(),
  rosterMin: z.number().int(),
  rosterMax: z.number().int(),
  rosterLockAt: timestamp.nullable().describe('null: rosters lock at the start.'),
  allowCancel: z.boolean(),
  allowEdit: z.boolean(),
  requiresAntiCheat: z.boolean(),
  customFields: questionList,
  customFieldsVersion: z.number().int().describe('Increases with every change to the questions after publication.'),
  formatOptions,
  autoStart: z.boolean().describe('Starts by itself at the start date; otherwise an organizer starts it.'),
  noShowGraceMinutes: z.number().int(),
  resultMode,
  autoConfirmMinutes: z.number().int(),
  waitlistedParticipants: z.number().int().describe('Participants on the waitlist.'),
  canManage: z.boolean().describe('Whether the caller may manage this tournament.'),
});
export type TournamentDetail = z.infer<typeof detail>;

/** A tournament with all of its settings. Long questions take longer to check than all else, and `readQuestions` has checked them. */
export const tournamentDetail = Object.assign(detail, {
  parseAsync: async (output: TournamentDetail): Promise<TournamentDetail> => {
    const { customFields } = output;
    if (!isChecked(customFields)) return detail.parse(output);
    return { ...detail.parse({ ...output, customFields: [] }), customFields };
  },
});

/** A change to a question that affects registered participants. */
const questionWarning = z.object({
  key: z.string(),
  label: z.string().describe('The label that participants saw.'),
  changes: z.array(z.enum(questionChangeKinds)),
  answered: z.number().int().describe('Participants (pending, approved, waitlisted) who answered it.'),
  unfit: z.number().int().describe('Participants whose answer, or missing answer, the new question would refuse.'),
});
export type QuestionWarning = z.infer<typeof questionWarning>;
const questionWarnings = z
  .array(questionWarning)
  .describe(
    'Changed questions that affect registered participants. Existing answers stay, with the questions they belong to.',
  );

export const updatedTournament = tournamentDetail.extend({ questionWarnings });
export const previewQuestionsInput = z.object({
  tournamentId: z.string(),
  customFields: tournamentSettings.shape.customFields.unwrap(),
});
export const previewQuestionsOutput = z.object({ warnings: questionWarnings });
export const questionVersions = z.array(z.object({ version: z.number().int(), definitions: questionList }));

/** Tournaments as players look for them: open for registration, in progress, over. */
export const tournamentPhase = z.enum(['current', 'open', 'upcoming', 'check_in', 'live', 'past']);

const search = z.string().trim().max(100).optional().describe('Words of the name, or how they begin.');

export const listTournamentsInput = pageInput.extend({
  search,
  game: z.string().max(40).optional(),
  format: tournamentFormat.optional(),
  status: z.enum(['PUBLISHED', 'IN_PROGRESS', 'COMPLETED', 'CANCELLED']).optional(),
  phase: tournamentPhase
    .optional()
    .describe(
      '`current`: not over; `open`: registration is open; `upcoming`: not yet started; `check_in`: check-in is open; `live`: in progress; `past`: completed or cancelled.',
    ),
  project: z.string().max(80).optional().describe('Id or slug of the organizing project.'),
  from: moment.optional().describe('Starting at this time or later.'),
  to: moment.optional().describe('Starting before this time.'),
  sort: z.enum(['startDate', '-startDate']).optional().describe('Default: soonest first, latest first for `past`.'),
});
export const listTournamentsOutput = pageOf(tournamentSummary);

export const sitemapTournaments = z.array(z.object({ slug: z.string(), updatedAt: z.string() }));

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
    .describe('Tournaments of the project by status, without any filter.'),
});

export const removedTournament = z.object({ id: z.string(), deleted: z.literal(true) });

export const bannerUploadInput = z.object({ tournamentId: z.string(), ...imageFields('A banner') });
export const attachBannerInput = z.object({ tournamentId: z.string(), mediaFileId: z.string() });

export const gamesOutput = z.array(z.object({ id: z.string(), name: z.string() }));

export const game = z.object({
  id: z.string().describe('The same as `key`.').meta({ example: 'rocket-sumo' }),
  key: z.string().describe('What a tournament takes as `game`.').meta({ example: 'rocket-sumo' }),
  name: z.string(),
  projectId: z.string().nullable().describe('The only project that can use it; null: every project of the instance.'),
});
export const createGameInput = z.object({ projectId: z.string(), name: nameField });
export const projectGamesInput = pageInput.extend({ projectId: z.string() });
export const projectGamesOutput = pageOf(game);
