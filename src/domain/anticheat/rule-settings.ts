import type { AntiCheatGame } from './games';
import { type RuleKey, type RuleSetting, rules, rulesOf, type Threshold } from './rules';

/** A rule of a game as a project wants it; thresholds that are left out are standard. */
export type RuleChange = { ruleId: string } & RuleSetting;

/** The key of a rule of the game; null when the game has no such rule. */
export function ruleKeyOf(game: AntiCheatGame, ruleId: string): RuleKey | null {
  return rulesOf(game).find((key) => ruleId === `${game}.${key}`) ?? null;
}

/** The thresholds of a rule by name, as the table has them. */
export function thresholdsIn(key: RuleKey): Record<string, Threshold> {
  return rules[key].thresholds;
}

/** What is wrong with a value of a threshold, and what it can be; null: nothing. */
export function thresholdProblem({ min, max, unit }: Threshold, value: number): string | null {
  return value >= min && value <= max ? null : `Use a number from ${min} to ${max} ${unit}.`;
}

/** What is wrong with a change of a rule of the game: the path of each problem within it, and a sentence. */
export function ruleProblems(game: AntiCheatGame, change: RuleChange): { path: string[]; message: string }[] {
  const key = ruleKeyOf(game, change.ruleId);
  if (!key) return [{ path: ['ruleId'], message: 'The game has no such rule.' }];
  const known = new Map(Object.entries(thresholdsIn(key)));
  return Object.entries(change.thresholds).flatMap(([name, value]) => {
    const threshold = known.get(name);
    const message = threshold ? thresholdProblem(threshold, value) : 'The rule has no such threshold.';
    return message ? [{ path: ['thresholds', name], message }] : [];
  });
}

/** The thresholds of a change that differ from the standard. */
export function changedThresholds(key: RuleKey, thresholds: Record<string, number>): Record<string, number> {
  const table = thresholdsIn(key);
  return Object.fromEntries(Object.entries(thresholds).filter(([name, value]) => table[name]?.standard !== value));
}
