import { z } from 'zod';
import { teamRoles } from '@/domain/teams/roles';
import { compiled } from '@/server/compiled';
import { feedEvent, feedFilter, isRange, rangeError } from '@/server/routers/matches/feed/schema';
import { bracket, listMatchesInput, match } from '@/server/routers/matches/schema';
import { dataEnvelope, dataPage } from './schema-envelope';

const timestamp = z.string().meta({ format: 'date-time', example: '2026-12-05T18:00:00.000Z' });
const tournamentId = z.string().describe('Id or slug.').meta({ example: 'winter-cup' });
const matchId = z.string().meta({ example: 'mat_01k9x4r8g2w9y1z3a4c5d6e7f8' });
const userId = z.string().meta({ example: 'usr_01k9x3n5d9s6v8w0x1z2a3b4c5' });

export const readDataBracketInput = compiled(z.object({ id: tournamentId }));
export const readDataBracketOutput = dataEnvelope(bracket);

export const listDataMatchesInput = listMatchesInput.omit({ tournamentId: true }).extend({
  id: tournamentId,
  gameId: z
    .string()
    .max(40)
    .optional()
    .describe('The id of a game; no matches when the tournament is of another.')
    .meta({ example: 'cs2' }),
});
export const listDataMatchesOutput = dataPage('matches', match);

export const readDataMatchInput = compiled(z.object({ id: matchId }));
export const readDataMatchOutput = dataEnvelope(match);

export const listDataEventsInput = z.object({ id: matchId, ...feedFilter }).refine(isRange, rangeError);
export const listDataEventsOutput = dataEnvelope(z.array(feedEvent).describe('In the order of `sequence`.'));

export const readDataPlayerStatsInput = compiled(
  z.object({ id: userId, gameId: z.string().min(1).max(40).describe('The id of a game.').meta({ example: 'cs2' }) }),
);
const dataPlayerStats = z.object({
  userId,
  name: z.string(),
  gameId: z.string().meta({ example: 'cs2' }),
  matches: z.number().int().describe('Matches played; byes and forfeits do not count.'),
  wins: z.number().int(),
  losses: z.number().int(),
  winRate: z.number().describe('Wins of all matches, from 0 to 1; 0 without matches.'),
  kills: z.number().int(),
  deaths: z.number().int(),
  assists: z.number().int(),
  kdRatio: z.number().describe('Kills for each death; the kills themselves without deaths.'),
  placements: z
    .array(z.object({ tournamentId: z.string(), rank: z.number().int() }))
    .describe('Final ranks in completed tournaments, newest tournament first.'),
  lastPlayedAt: timestamp.nullable(),
});
export type DataPlayerStats = z.infer<typeof dataPlayerStats>;
export const readDataPlayerStatsOutput = dataEnvelope(dataPlayerStats);

export const readDataTeamInput = compiled(
  z.object({ id: z.string().meta({ example: 'tem_01k9x3n5d9s6v8w0x1z2a3b4c5' }) }),
);
const dataTeam = z.object({
  id: z.string().meta({ example: 'tem_01k9x3n5d9s6v8w0x1z2a3b4c5' }),
  name: z.string(),
  tag: z.string().nullable(),
  members: z.array(z.object({ userId, name: z.string(), role: z.enum(teamRoles), joinedAt: timestamp })),
  version: z.number().int().describe('Raised by every change of the name or the tag.'),
  disbandedAt: timestamp.nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type DataTeam = z.infer<typeof dataTeam>;
export const readDataTeamOutput = dataEnvelope(dataTeam);
