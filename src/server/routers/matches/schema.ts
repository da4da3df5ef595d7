import { z } from 'zod';
import { maxMessageLength, maxScreenshots } from '@/domain/brackets/thread';
import { moment, tournamentFormat } from '@/domain/tournaments/settings';
import { compiled } from '@/server/compiled';
import { pageInput, pageOf } from '@/server/paging';

const timestamp = z.iso.datetime().meta({ example: '2026-12-05T18:00:00.000Z' });
const participantId = z.string().max(60).meta({ example: 'prt_01k9x3n5d9s6v8w0x1z2a3b4c5' });

export const tournamentIdInput = z.object({
  tournamentId: z.string().describe('Id or slug.').meta({ example: 'winter-cup' }),
});
export const matchIdInput = z.object({ matchId: z.string().meta({ example: 'mat_01k9x4r8g2w9y1z3a4c5d6e7f8' }) });

export const matchStatus = z.enum([
  'pending',
  'ready',
  'scheduled',
  'in_progress',
  'disputed',
  'completed',
  'forfeited',
]);
export const matchBracket = z.enum(['winners', 'losers', 'final', 'group']);
export const stageType = z.enum(['single_elimination', 'double_elimination', 'round_robin', 'swiss', 'gsl', 'custom']);

const origins = [
  z.object({ type: z.literal('seed'), seed: z.number().int() }),
  z.object({ type: z.enum(['winner', 'loser']), match: z.number().int().describe('Number of the match.') }),
  z.object({ type: z.literal('group'), group: z.number().int(), rank: z.number().int() }),
  z.object({ type: z.literal('standing'), rank: z.number().int() }),
  z.object({ type: z.literal('pairing') }),
] as const;

/** Where the participant of a slot comes from. */
export const slotSource = z.union([
  ...origins,
  z.object({
    type: z.literal('bye'),
    of: z.union(origins).nullable().describe('Where somebody could have come from.'),
  }),
]);

const slot = z.object({
  participantId: z.string().nullable().describe('null while an earlier match is undecided, and in a bye.'),
  name: z.string().nullable().meta({ example: 'Ada Okafor' }),
  seed: z.number().int().nullable(),
  score: z.number().int().nullable().describe('Games won.'),
  result: z.enum(['win', 'loss', 'draw', 'forfeit']).nullable(),
  source: slotSource,
});

const scores = z.tuple([z.number(), z.number()]);
const game = z.object({
  scores: scores.nullable().describe('In slot order; null when only its winner is known.'),
  winnerId: z.string().nullable().describe('null: drawn.'),
});

const report = z.object({
  by: z.string().describe('Id of the participant who reported it.'),
  games: z.array(game),
  winnerId: z.string().nullable(),
  reportedAt: timestamp,
  confirmBy: timestamp
    .nullable()
    .describe(
      'When silence confirms it; later while no email about it could be sent. null where it does not: while it is disputed, when nobody can answer, and once its side has named another winner.',
    ),
});

export const match = z.object({
  id: z.string().meta({ example: 'mat_01k9x4r8g2w9y1z3a4c5d6e7f8' }),
  tournamentId: z.string(),
  stage: z.string().describe('Name of the stage.'),
  stageId: z.string(),
  group: z.number().int().nullable().describe('Number of the group; null in a knockout.'),
  round: z.number().int().describe('Counted from 1 within stage and bracket.'),
  number: z.number().int().describe('Unique in the tournament; a match comes after every match that feeds it.'),
  bracket: matchBracket,
  status: matchStatus,
  decidedBy: z.enum(['result', 'forfeit', 'departure', 'bye']).nullable(),
  bestOf: z.number().int(),
  slots: z.tuple([slot, slot]),
  games: z.array(game),
  winnerId: z.string().nullable().describe('null while undecided, after a draw and when both forfeited.'),
  winnerTo: z.object({ match: z.number().int(), slot: z.union([z.literal(0), z.literal(1)]) }).nullable(),
  loserTo: z.object({ match: z.number().int(), slot: z.union([z.literal(0), z.literal(1)]) }).nullable(),
  report: report.nullable(),
  counterReport: report.omit({ confirmBy: true }).nullable().describe('What the other side reported instead.'),
  proposal: z
    .object({ scheduledAt: timestamp, by: z.string(), proposedAt: timestamp })
    .nullable()
    .describe('A new time that one side proposed.'),
  scheduledAt: timestamp.nullable(),
  calledAt: timestamp.nullable().describe('When staff called the participants.'),
  showUpBy: timestamp.nullable().describe('Until when the called participants have time to show up.'),
  station: z.string().nullable().describe('Name of the station.'),
  stationId: z.string().nullable(),
  streamUrl: z.string().nullable().describe('Where the match can be watched.'),
  streamPosition: z.number().int().nullable().describe('Order in the stream queue; null: not in it.'),
  startedAt: timestamp
    .nullable()
    .describe(
      'When staff started it. Where they did not: once the result is disputed or decided, when it was first reported.',
    ),
  completedAt: timestamp.nullable(),
  version: z.number().int().describe('Value for `If-Match`.'),
});
export type MatchOutput = z.infer<typeof match>;

/** A match with what the caller may do now. */
export const matchDetail = match.extend({
  tournament: z.object({
    id: z.string(),
    slug: z.string(),
    name: z.string(),
    status: z.enum(['DRAFT', 'PUBLISHED', 'IN_PROGRESS', 'COMPLETED', 'CANCELLED']),
    resultMode: z.enum(['confirm', 'staff']),
    noShowGraceMinutes: z.number().int(),
    autoConfirmMinutes: z.number().int(),
    timezone: z.string(),
  }),
  roundName: z.string(),
  me: z.object({
    participantId: z.string().nullable().describe('The side that the caller plays on.'),
    canModerate: z.boolean(),
  }),
});
export type MatchDetail = z.infer<typeof matchDetail>;

export const matchNumberInput = tournamentIdInput.extend({ number: z.number().int().min(1).max(1_000_000) });

const tiebreakers = z.record(z.string(), z.number().nullable());
const standingsRow = z.object({
  rank: z.number().int(),
  participantId: z.string(),
  name: z.string(),
  seed: z.number().int(),
  played: z.number().int(),
  wins: z.number().int(),
  draws: z.number().int(),
  losses: z.number().int(),
  gamesWon: z.number().int(),
  gamesLost: z.number().int(),
  points: z.number(),
  tiebreakers: tiebreakers.describe('By name; null where one said nothing. Percentages are shares from 0 to 1.'),
  outcome: z.enum(['advanced', 'eliminated']).nullable(),
});

const stageStandings = z.object({
  id: z.string(),
  name: z.string(),
  type: stageType,
  tiebreakers: z.array(z.string()).describe('In the order they are applied.'),
  groups: z.array(
    z.object({
      id: z.string(),
      number: z.number().int().describe('From 1; what a ruling is sent to.'),
      name: z.string(),
      rows: z.array(standingsRow),
      ties: z
        .array(z.array(z.string()))
        .describe('Once the group is over: ids of those who are tied on every tie-break before seed and random.'),
      ruling: z
        .object({
          order: z.array(z.string()).describe('Ids, best first.'),
          ties: z
            .array(z.array(z.string()))
            .describe('Those of `order`, by the ties that they were in: it orders nobody who is tied with others now.'),
          reason: z.string(),
        })
        .nullable()
        .describe('How staff decided the ties.'),
    }),
  ),
});

export const standings = compiled(
  z.object({
    tournamentId: z.string(),
    final: z
      .array(z.object({ rank: z.number().int(), participantId: z.string(), name: z.string(), seed: z.number().int() }))
      .describe('Empty until the first participant is out; those out in the same round share a rank.'),
    stages: z.array(stageStandings),
  }),
);
export type StandingsOutput = z.infer<typeof standings>;

const pageNumber = z.number().int().min(1).max(10_000).default(1);
export const standingsPageInput = tournamentIdInput.extend({ places: pageNumber, table: pageNumber });

/** Where a page lies in the whole: `total` of what `limit` are shown. */
const position = z.object({ page: z.number().int(), limit: z.number().int(), total: z.number().int() });
const placesPage = position.extend({ items: standings.shape.final });
const tablePage = stageStandings.extend({
  position: position.extend({ of: z.enum(['rows', 'groups']) }),
  groups: z.array(
    stageStandings.shape.groups.element.omit({ ties: true }).extend({
      next: standingsRow.nullable().describe('The row behind the last one.'),
      hasTies: z.boolean(),
    }),
  ),
});

/** The standings, as much of them as a page shows. */
export const standingsPage = compiled(
  z.object({ tournamentId: z.string(), final: placesPage, stages: z.array(tablePage) }),
);
export type StandingsPage = z.infer<typeof standingsPage>;

export const champion = compiled(standings.shape.final.element.pick({ participantId: true, name: true }).nullable());

const round = z.object({
  number: z.number().int(),
  name: z.string(),
  bracket: matchBracket,
  matches: z.array(match),
});

export const bracket = compiled(
  z.object({
    tournamentId: z.string(),
    format: tournamentFormat,
    version: z.number().int().describe('Raised by every change.'),
    stages: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        type: stageType,
        endedEarly: z.literal('no_legal_pairing').nullable(),
        rounds: z.array(round).describe('Swiss rounds appear as they are drawn.'),
        standings: stageStandings
          .pick({ tiebreakers: true, groups: true })
          .optional()
          .describe('Where there is a table.'),
      }),
    ),
  }),
);
export type BracketOutput = z.infer<typeof bracket>;

export const listMatchesInput = tournamentIdInput.extend({
  ...pageInput.shape,
  status: matchStatus.optional(),
  participantId: participantId.optional(),
  stageId: z.string().max(60).optional(),
  round: z.number().int().min(1).max(10_000).optional(),
  stationId: z.string().max(60).optional(),
});
export const listMatchesOutput = compiled(pageOf(match));

export const myMatchesInput = pageInput.extend({
  when: z
    .enum(['current', 'past'])
    .optional()
    .describe('`current`: undecided, in a tournament in progress; `past`: the others.'),
});
const myMatch = match.extend({
  tournament: matchDetail.shape.tournament,
  me: matchDetail.shape.me.pick({ participantId: true }).required(),
});
export type MyMatch = z.infer<typeof myMatch>;
export const myMatchesOutput = compiled(pageOf(myMatch));

export const myNextMatchesInput = z.object({ participantId: participantId.optional() });
export const myNextMatchesOutput = compiled(z.array(myMatch.extend({ me: z.object({ participantId: z.string() }) })));

const drawParticipant = z.object({
  participantId: z.string(),
  name: z.string(),
  seed: z.number().int(),
  status: z.enum(['registered', 'checked_in']),
});

export const drawInput = tournamentIdInput.extend({
  removeNoShows: z.boolean().optional().describe('Leaves out who has not checked in, as the start would.'),
});
export const draw = z.object({
  tournamentId: z.string(),
  drawHash: z.string().describe('Send it with the start to get exactly this draw.'),
  randomSeed: z.string(),
  participants: z.array(drawParticipant).describe('Who plays, in seed order.'),
  notCheckedIn: z.array(drawParticipant.omit({ seed: true })),
  bracket,
});
export type DrawOutput = z.infer<typeof draw>;

const stageInput = tournamentIdInput.extend({ stageId: z.string().max(60) });
export const seedStageInput = stageInput.extend({
  order: z.array(participantId).min(2).max(1024).describe('Everyone in the stage, once, the top seed first.'),
});
export const rulingInput = stageInput.extend({ group: z.coerce.number().int().min(1).max(512) });
export const ruleTieInput = rulingInput.extend({
  order: z.array(participantId).min(2).max(1024).describe('Everyone who is tied, best first, tie by tie.'),
  reason: z.string().trim().min(1, 'Say why.').max(500).describe('For everyone to read.'),
});

export const startInput = tournamentIdInput.extend({
  removeNoShows: z
    .boolean()
    .default(false)
    .describe(
      'Who has not checked in becomes a no-show instead of playing, unless they were waiting for a slot until check-in had closed.',
    ),
  drawHash: z.string().max(64).optional().describe('Refused with 409 unless the draw is still the one with this hash.'),
});

const reportedGame = z.object({
  scores: z.tuple([z.number().int().min(0).max(1_000_000), z.number().int().min(0).max(1_000_000)]),
});
const version = z.number().int().optional().describe("Refused with 412 unless the match's; as `If-Match`.");
const result = {
  games: z.array(reportedGame).max(99).default([]).describe('In the order of play, scores in slot order.'),
  winnerId: participantId.optional().describe('Where the scores do not say it: after a shoot-out, or without scores.'),
  version,
};
export const reportInput = matchIdInput.extend(result);
/** An answer to what the other side reported or proposed, which it may change until then. */
export const answerInput = matchIdInput.extend({ version });
export const correctInput = matchIdInput.extend({
  ...result,
  preview: z.boolean().default(false).describe('Writes nothing and tells what the correction would change.'),
  reason: z.string().trim().max(500).optional(),
});
const affectedMatch = z.object({
  matchId: z.string().nullable().describe('null: a match that would come into being.'),
  number: z.number().int(),
  change: z.enum(['advances_other', 'cleared', 'reopened', 'removed']),
  losesResult: z.boolean().describe('Whether a reported result is lost.'),
  before: z.array(z.string().nullable()).describe('Participants, in slot order.'),
  after: z.array(z.string().nullable()).nullable().describe('null when the match would be gone.'),
});
export const correction = z.object({
  allowed: z.boolean(),
  affected: z.array(affectedMatch),
  reason: z.enum(['AFFECTED_MATCH_IN_PROGRESS', 'PLAYED_PAST']).optional(),
  match: match.optional().describe('The corrected match; absent in a preview.'),
});
export type CorrectionOutput = z.infer<typeof correction>;

export const reopenInput = matchIdInput.extend({
  version,
  preview: z.boolean().default(false),
  reason: z.string().trim().max(500).optional(),
});
export const undoInput = matchIdInput.extend({ version });
/** Screenshots that the caller uploaded for the match. */
export const mediaFileIds = z
  .array(z.string().max(60))
  .max(maxScreenshots, { error: `Attach at most ${maxScreenshots} images.` })
  .refine((ids) => new Set(ids).size === ids.length, { error: 'names a file twice' })
  .default([]);
export const disputeInput = matchIdInput.extend({
  reason: z.string().trim().min(1, 'Say what is wrong.').max(maxMessageLength),
  mediaFileIds,
});
export const forfeitInput = matchIdInput.extend({
  participantIds: z.array(participantId).min(1).max(2),
  reason: z.string().trim().max(500).optional(),
});
export const rescheduleInput = matchIdInput.extend({ scheduledAt: moment });
