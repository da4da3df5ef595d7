import { z } from 'zod';
import { antiCheatGames } from '@/domain/anticheat/games';
import { type RuleChange, ruleProblems } from '@/domain/anticheat/rule-settings';
import { pageFields, pageInput } from '@/server/paging';
import { severity } from '@/server/routers/anticheat/schema';

const timestamp = z.iso.datetime();
const game = z.enum(antiCheatGames);
const ruleId = z.string().meta({ example: 'cs2.aim_snap' });

export const gameInput = z.object({ game: game.describe('The game whose rules they are.').meta({ example: 'cs2' }) });

const ruleItem = z.object({
  ruleId,
  name: z.string().meta({ example: 'Inhuman aim snaps' }),
  description: z.string().meta({ example: 'The view turned far within a frame or two and the shot hit.' }),
  severity,
  replays: z.boolean().describe('Whether a replay can apply it: heartbeats are not stored.'),
  enabled: z.boolean(),
  thresholds: z.array(
    z.object({
      name: z.string().meta({ example: 'snaps' }),
      meaning: z.string().meta({ example: 'From this many in a window on it is reported.' }),
      unit: z.string().meta({ example: 'snaps' }),
      value: z.number(),
      standard: z.number(),
      min: z.number(),
      max: z.number(),
    }),
  ),
});

export const rulesOutput = z.object({
  game,
  version: z.number().int().describe('Grows with every change of the rules of the game.'),
  updatedAt: timestamp.nullable().describe('null: nobody has changed them.'),
  updatedBy: z.string().nullable().describe('Name of who changed them last.').meta({ example: 'Olivia Reyes' }),
  rules: z.array(ruleItem),
});

const ruleChange = z.object({
  ruleId,
  enabled: z.boolean(),
  thresholds: z
    .record(z.string(), z.number())
    .describe('By name, within the range of each. What is left out is standard.')
    .meta({ example: { snaps: 6 } }),
});

const changes = gameInput.extend({ rules: z.array(ruleChange).min(1).max(20) });

/** Names what a rule of the game does not have, and values outside of their range. */
function checkChanges(input: { game: z.infer<typeof game>; rules: RuleChange[] }, issues: z.RefinementCtx) {
  const seen = new Set<string>();
  for (const [index, change] of input.rules.entries()) {
    const problems = ruleProblems(input.game, change);
    if (seen.has(change.ruleId)) problems.push({ path: ['ruleId'], message: 'Each rule can be named once.' });
    seen.add(change.ruleId);
    for (const { path, message } of problems) {
      issues.addIssue({ code: 'custom', path: ['rules', index, ...path], message });
    }
  }
}

export const updateRulesInput = changes
  .extend({ version: z.number().int().optional().describe('The version that the change is based on.') })
  .superRefine(checkChanges);

/** Sessions that a replay reads by default, and at most. */
const replaySessions = { standard: 20, max: 50 };

export const startReplayInput = changes
  .extend({
    sessions: z
      .number()
      .int()
      .min(1)
      .max(replaySessions.max)
      .default(replaySessions.standard)
      .describe('How many of the newest sessions to read.'),
  })
  .superRefine(checkChanges);

export const replayInput = pageInput.extend({ replayId: z.string() });

const tally = {
  raised: z.number().int().describe('Detections that were raised.'),
  replayed: z.number().int().describe('Detections that these settings raise.'),
  added: z.number().int().describe('Replayed, but not raised.'),
  gone: z.number().int().describe('Raised, but not replayed.'),
};

const replayChange = z.object({
  change: z.enum(['added', 'gone']),
  ruleId,
  rule: z.string().meta({ example: 'Inhuman aim snaps' }),
  severity,
  sessionId: z.string(),
  matchId: z.string(),
  userId: z.string(),
  userName: z.string().nullable().meta({ example: 'Nova' }),
  beforeTakeover: z.boolean().describe('Whether the owner of the account took it over later, and is not named.'),
  windowStart: timestamp,
  explanation: z
    .string()
    .meta({ example: '5 of 60 turns went at least 25° within 12 ms and hit; the widest went 91°.' }),
  detectionId: z.string().nullable().describe('Of a detection that is gone.'),
  verdict: z.enum(['confirmed', 'dismissed', 'inconclusive']).nullable().describe('What staff decided about it.'),
});
export type ReplayChange = z.infer<typeof replayChange>;

export const replayOutput = z.object({
  id: z.string(),
  game,
  state: z.enum(['running', 'finished', 'failed']),
  sessions: z.object({ done: z.number().int(), total: z.number().int() }),
  reportsRead: z.number().int(),
  isPartial: z.boolean().describe('Whether it stopped at its limit of reports, before the oldest sessions.'),
  rules: z.array(z.object({ ruleId, name: z.string().meta({ example: 'Inhuman aim snaps' }), ...tally })),
  changes: z
    .object({ items: z.array(replayChange), ...pageFields })
    .describe('What differs, newest session first; the first 500.'),
  createdAt: timestamp,
  finishedAt: timestamp.nullable(),
});

export const startedReplay = z.object({ id: z.string(), sessions: z.number().int().describe('Sessions to read.') });
