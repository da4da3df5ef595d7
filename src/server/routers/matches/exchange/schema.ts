import { z } from 'zod';
import { nameField } from '@/domain/accounts/forms';
import { MAX_PARTICIPANTS } from '@/domain/brackets/draw/generate';
import { participantStatuses, registrationStatuses } from '@/domain/participants/statuses';
import { optionalLineField } from '@/domain/text/line';
import { moment, mostParticipants, tournamentSettings, tournamentStatus } from '@/domain/tournaments/settings';
import { matchBracket, matchStatus, slotSource, stageType, tournamentIdInput } from '@/server/routers/matches/schema';

/** Names a participant within the file, and nothing else. */
const ref = z.string().min(1).max(60).meta({ example: 'p1' });
const count = z.number().int().min(1);
const pair = <T extends z.ZodType>(each: T) => z.tuple([each, each]);
const score = z.number().int().min(0).max(1_000_000);

const game = z.object({
  scores: pair(score).nullable().optional(),
  winner: ref.nullable().optional().describe('Where the scores do not say it; null: drawn.'),
});

const report = z.object({
  by: ref,
  games: z.array(game).max(99),
  winner: ref.nullable(),
  reportedAt: moment,
});

const fileMatch = z.object({
  number: count.max(20_000).describe('From 1 without gaps; a match comes after every match that feeds it.'),
  stage: count.max(2).optional().describe('Default: 1.'),
  group: count.nullable().optional(),
  bracket: matchBracket,
  round: count.max(1_000),
  participants: pair(ref.nullable()).optional().describe('null: not known yet, or a bye.'),
  sources: pair(slotSource.nullable())
    .optional()
    .describe('Needed in a tree given as edges, and for a knockout that was seeded by hand.'),
  winnerRank: count.nullable().optional().describe('In a tree given as edges: the place of a winner who leaves here.'),
  loserRank: count.nullable().optional(),
  bestOf: count.optional(),
  status: matchStatus.optional(),
  decidedBy: z.enum(['result', 'forfeit', 'departure', 'bye']).nullable().optional(),
  score: pair(score).optional().describe('Games won.'),
  games: z.array(game).max(99).optional(),
  winner: ref.nullable().optional(),
  forfeitedBy: z.array(ref).min(1).max(2).optional(),
  report: report.optional(),
  counterReport: report.optional(),
  scheduledAt: moment.optional(),
  startedAt: moment.optional(),
  completedAt: moment.optional(),
});
export type FileMatch = z.output<typeof fileMatch>;

const fileParticipant = z.object({
  id: ref,
  name: nameField,
  seed: count.max(mostParticipants).nullable().default(null),
  registrationStatus: z.enum(registrationStatuses).default('approved'),
  status: z.enum(participantStatuses).default('registered'),
  roster: z
    .array(z.object({ name: nameField, role: z.enum(['captain', 'player', 'substitute']).default('player') }))
    .max(40)
    .optional()
    .describe('Team tournaments.'),
  registeredAt: moment.optional(),
  checkedInAt: moment.optional(),
});
export type FileParticipant = z.output<typeof fileParticipant>;

const fileBracket = z.object({
  randomSeed: z.string().min(1).max(64).describe('Decides what nothing else does.'),
  participants: z.array(ref).min(2).max(MAX_PARTICIPANTS).describe('Who plays, in seed order.'),
  lots: z
    .array(z.string().min(1).max(64))
    .max(MAX_PARTICIPANTS)
    .optional()
    .describe('What lots are drawn with between them, in the same order, so that a copy draws the same ones.'),
  stages: z
    .array(
      z.object({
        number: count.max(2),
        type: stageType,
        name: optionalLineField(120).optional(),
        groups: z
          .array(
            z.object({
              number: count.max(512),
              participants: z.array(ref).max(MAX_PARTICIPANTS).optional(),
              ruling: z
                .object({
                  order: z.array(ref).max(MAX_PARTICIPANTS),
                  ties: z.array(z.array(ref).max(MAX_PARTICIPANTS)).max(MAX_PARTICIPANTS).optional(),
                  reason: z.string().trim().min(1).max(500),
                })
                .nullable()
                .default(null),
            }),
          )
          .max(512)
          .default([]),
      }),
    )
    .min(1)
    .max(2),
  departures: z
    .array(
      z.object({
        participant: ref,
        type: z.enum(['withdrawn', 'disqualified']),
        stage: count.max(2),
        round: z.number().int().min(0).max(1_000),
      }),
    )
    .max(MAX_PARTICIPANTS)
    .default([])
    .describe('Who plays no more, in the order they left.'),
  matches: z.array(fileMatch).max(20_000),
});

/** A tournament as a file: everything needed to make it again, without accounts, addresses and answers. */
export const laurelFile = z.object({
  format: z.literal('laurel', { error: 'Only files of the format laurel can be imported.' }),
  version: z.literal(1, { error: 'This file is of a later version of Laurel.' }),
  tournament: tournamentSettings
    .omit({ slug: true })
    .required({ name: true, game: true, maxParticipants: true, startDate: true })
    .extend({
      status: tournamentStatus.default('DRAFT'),
      publishedAt: moment.nullable().default(null),
      startedAt: moment.nullable().default(null),
      completedAt: moment.nullable().default(null),
      cancelledAt: moment.nullable().default(null),
    }),
  // As many again may be rejected, withdrawn or on the waitlist.
  participants: z
    .array(fileParticipant)
    .max(2 * mostParticipants)
    .default([]),
  bracket: fileBracket.nullable().default(null).describe('null before the start.'),
  standings: z
    .array(z.object({ rank: count, participant: ref }))
    .max(MAX_PARTICIPANTS)
    .default([])
    .describe('The final places known so far. They follow from the rest and are not imported.'),
});
export type LaurelFile = z.output<typeof laurelFile>;

const bmId = z.number().int();
const bmResult = z
  .object({
    id: bmId.nullable(),
    position: z.number().int().optional(),
    score: z.number().int().optional(),
    forfeit: z.boolean().optional(),
    result: z.enum(['win', 'draw', 'loss']).optional(),
  })
  .nullable()
  .describe('null: a bye. An `id` of null: not known yet.');
const bmStatus = z.number().int().min(0).max(5);

/** The database of brackets-manager, as its `import` takes it and brackets-viewer shows it. */
export const bracketsManagerFile = z.object({
  participant: z.array(z.object({ id: bmId, tournament_id: bmId, name: z.string() })),
  stage: z.array(
    z.object({
      ...{ id: bmId, tournament_id: bmId, name: z.string(), number: z.number().int() },
      type: z.enum(['round_robin', 'single_elimination', 'double_elimination']),
      settings: z.record(z.string(), z.unknown()),
    }),
  ),
  group: z.array(z.object({ id: bmId, stage_id: bmId, number: z.number().int() })),
  round: z.array(z.object({ id: bmId, stage_id: bmId, group_id: bmId, number: z.number().int() })),
  match: z.array(
    z.object({
      ...{ id: bmId, stage_id: bmId, group_id: bmId, round_id: bmId, number: z.number().int() },
      ...{ child_count: z.number().int(), status: bmStatus, opponent1: bmResult, opponent2: bmResult },
    }),
  ),
  match_game: z.array(
    z.object({
      ...{ id: bmId, stage_id: bmId, parent_id: bmId, number: z.number().int(), status: bmStatus },
      ...{ opponent1: bmResult, opponent2: bmResult },
    }),
  ),
});

export const exportInput = tournamentIdInput.extend({
  format: z
    .enum(['laurel', 'brackets-manager'])
    .default('laurel')
    .describe('`laurel` can be imported again; `brackets-manager` is for programs that use that library.'),
});
export const exportOutput = z.union([laurelFile, bracketsManagerFile]);

export const importInput = laurelFile.extend({ projectId: z.string() });
