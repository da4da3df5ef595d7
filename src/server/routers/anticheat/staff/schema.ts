import { z } from 'zod';
import { antiCheatGames } from '@/domain/anticheat/games';
import { pageInput, pageOf } from '@/server/paging';

const timestamp = z.iso.datetime();
const game = z.enum(antiCheatGames);

export const sessionItem = z.object({
  id: z.string(),
  game,
  matchId: z.string(),
  match: z
    .object({
      number: z.number().int(),
      tournamentSlug: z.string(),
      tournamentName: z.string().meta({ example: 'Winter Cup' }),
    })
    .nullable()
    .describe("null: an id of the integrator's own."),
  startedAt: timestamp,
  endedAt: timestamp.nullable().describe('null: it runs.'),
  endReason: z.string().nullable().meta({ example: 'match completed' }),
  requested: z.number().int().describe('Players whom it was started for.'),
  covered: z.number().int().describe('Players of whom it covers a client.'),
  running: z.number().int().describe('Players of whom a covered client runs now.'),
  detections: z.number().int(),
});
export type SessionItem = z.infer<typeof sessionItem>;

export const listSessionsInput = pageInput.extend({
  matchId: z.string().max(128).optional(),
  isRunning: z.boolean().optional().describe('true: running ones; false: those that ended; left out: all.'),
});
export const sessionPage = pageOf(sessionItem);
export const sessionInput = z.object({ sessionId: z.string() });
export const sessionPlayersInput = pageInput.extend({ sessionId: z.string() });

const sessionPlayer = z.object({
  userId: z.string(),
  name: z.string().nullable().describe('null: a deleted user, or one before the takeover.').meta({ example: 'Nova' }),
  beforeTakeover: z.boolean().describe('Whether the owner of the account took it over after the session had started.'),
  requested: z.boolean().describe('Whether the session was started for this player.'),
  detections: z.number().int(),
  clients: z
    .array(
      z.object({
        id: z.string(),
        deviceName: z.string().nullable().meta({ example: 'Desk at home' }),
        running: z.boolean().describe('Whether its last heartbeat came within a minute.'),
        lastHeardAt: timestamp.nullable(),
        firstReportAt: timestamp.nullable().describe('Of the session; null until a minute with reports is over.'),
        clockAheadMs: z.number().int().nullable().describe('How far its clock was ahead at most; null: not known yet.'),
        revoked: z.boolean(),
      }),
    )
    .describe('Those that the session covers; empty: the player had no enrolled client when it started.'),
});
export type SessionPlayer = z.infer<typeof sessionPlayer>;
export const sessionPlayerPage = pageOf(sessionPlayer);

export const startForMatchInput = z.object({ game, matchId: z.string().max(128).describe('A match of the project.') });
export const endByStaffInput = z.object({ sessionId: z.string(), reason: z.string().trim().max(500).optional() });
