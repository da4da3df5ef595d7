import { type AntiCheatGame, antiCheatGames } from './games';
import { type RuleKey, ruleKeys } from './rules';

/** What staff decide about a detection. */
export const verdicts = ['confirmed', 'dismissed', 'inconclusive'] as const;
export type Verdict = (typeof verdicts)[number];

/** The states of a detection, for filters: unreviewed, or what staff decided. */
export const reviewStatuses = ['unreviewed', ...verdicts] as const;
export type ReviewStatus = (typeof reviewStatuses)[number];

export const severities = ['critical', 'high', 'medium', 'low'] as const;

/** The longest note of a review, in characters. */
export const maxNoteLength = 1_000;

/** The game and the rule in a detection's `ruleId`; null for what a later version knows no more. */
export function ruleOf(ruleId: string): { game: AntiCheatGame | null; key: RuleKey | null } {
  const [game = '', key = ''] = ruleId.split('.');
  return {
    game: antiCheatGames.find((each) => each === game) ?? null,
    key: ruleKeys.find((each) => each === key) ?? null,
  };
}
