import { z } from 'zod';
import {
  customFieldDefinition,
  formatOptions,
  moment,
  tournamentFormat,
  tournamentStatus,
  tournamentVisibility,
} from '@/domain/tournaments/settings';
import { compiled } from '@/server/compiled';
import { pageInput } from '@/server/paging';
import { dataEnvelope, dataPage } from './schema-envelope';

/** We write it, so its format is documented but not validated. */
const timestamp = z.string().meta({ format: 'date-time', example: '2026-12-05T18:00:00.000Z' });
const money = z.object({
  amount: z.number().int().describe('In the minor unit of the currency.'),
  currency: z.string().meta({ example: 'EUR' }),
});

/** A tournament as API keys read it. */
export const dataTournament = z.object({
  id: z.string().meta({ example: 'trn_01k9zq3v4e8m6t2r5x7c1b0a9d' }),
  slug: z.string().meta({ example: 'winter-cup' }),
  projectId: z.string().meta({ example: 'prj_01k9zq3v4e8m6t2r5x7c1b0a9d' }),
  name: z.string().meta({ example: 'Winter Cup' }),
  description: z.string().describe('Markdown.'),
  rules: z.string().describe('Markdown.'),
  game: z.string().meta({ example: 'cs2' }),
  format: tournamentFormat,
  teamSize: z.number().int().describe('1: individual participants; more: teams.').meta({ example: 1 }),
  rosterMin: z.number().int().meta({ example: 1 }),
  rosterMax: z.number().int().meta({ example: 1 }),
  maxParticipants: z.number().int().meta({ example: 16 }),
  currentParticipants: z
    .number()
    .int()
    .describe('Approved participants, without those who withdrew, were disqualified or did not show up.')
    .meta({ example: 7 }),
  status: tournamentStatus,
  visibility: tournamentVisibility,
  startDate: timestamp,
  timezone: z.string().describe("IANA name of the organizer's zone.").meta({ example: 'Europe/Berlin' }),
  registrationOpensAt: timestamp.nullable().describe('null: open from publication.'),
  registrationClosesAt: timestamp.nullable().describe('null: until the start.'),
  checkInOpensAt: timestamp.nullable().describe('null: closed until an organizer opens it.'),
  checkInClosesAt: timestamp.nullable().describe('null: until the start.'),
  requiresApproval: z.boolean(),
  waitlistEnabled: z.boolean(),
  allowCancel: z.boolean(),
  allowEdit: z.boolean(),
  requiresAntiCheat: z.boolean(),
  customFields: z.array(customFieldDefinition),
  entryFee: money.nullable(),
  prizePool: money.nullable(),
  formatOptions,
  publishedAt: timestamp.nullable(),
  startedAt: timestamp.nullable(),
  completedAt: timestamp.nullable(),
  cancelledAt: timestamp.nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type DataTournament = z.infer<typeof dataTournament>;

export const listDataTournamentsInput = pageInput
  .extend({
    status: tournamentStatus.optional().describe('Drafts are only listed with `status=DRAFT`.'),
    gameId: z.string().max(40).optional().describe('The id of a game.').meta({ example: 'cs2' }),
    from: moment.optional().describe('Only tournaments that start at this time or later.'),
    to: moment.optional().describe('Only tournaments that start at this time or earlier.'),
  })
  .refine(({ from, to }) => !from || !to || Date.parse(from) <= Date.parse(to), {
    path: ['to'],
    error: 'must not be before `from`',
  });
export type ListDataTournamentsInput = z.infer<typeof listDataTournamentsInput>;
export const listDataTournamentsOutput = dataPage('tournaments', dataTournament);

export const readDataTournamentInput = compiled(
  z.object({
    id: z.string().describe('Id or slug.').meta({ example: 'winter-cup' }),
    status: z.literal('DRAFT').optional().describe('Drafts are only found with `status=DRAFT`.'),
  }),
);
export const readDataTournamentOutput = dataEnvelope(dataTournament);
