import { type RuleChange, thresholdProblem } from '@/domain/anticheat/rule-settings';
import type { Outputs } from '@/trpc/outputs';

export type Rule = Outputs['antiCheat']['rules']['get']['rules'][number];

/** What somebody has changed and not saved, by rule: thresholds as they are typed. */
export type Draft = Record<string, { enabled?: boolean; thresholds: Record<string, string> }>;

export const noDraft: Draft = {};

/** The rule as drafted: whether it is on, and its thresholds as text. */
export function drafted(rule: Rule, draft: Draft): { enabled: boolean; thresholds: Record<string, string> } {
  const own = draft[rule.ruleId];
  return {
    enabled: own?.enabled ?? rule.enabled,
    thresholds: Object.fromEntries(
      rule.thresholds.map(({ name, value }) => [name, own?.thresholds[name] ?? String(value)]),
    ),
  };
}

/** The draft with one change more. */
export function withChange(
  draft: Draft,
  ruleId: string,
  change: { enabled: boolean } | { name: string; text: string },
) {
  const before = draft[ruleId] ?? { thresholds: {} };
  const after =
    'enabled' in change
      ? { ...before, enabled: change.enabled }
      : { ...before, thresholds: { ...before.thresholds, [change.name]: change.text } };
  return { ...draft, [ruleId]: after };
}

/** What is wrong with a typed threshold; null: nothing. */
export function textProblem(threshold: Rule['thresholds'][number], text: string): string | null {
  return thresholdProblem(threshold, text.trim() === '' ? Number.NaN : Number(text));
}

/** The rules that differ from what is saved, whole. */
export function changesOf(rules: readonly Rule[], draft: Draft): RuleChange[] {
  return rules.flatMap((rule) => {
    const { enabled, thresholds } = drafted(rule, draft);
    const values = Object.fromEntries(Object.entries(thresholds).map(([name, text]) => [name, Number(text)]));
    const differs = enabled !== rule.enabled || rule.thresholds.some(({ name, value }) => values[name] !== value);
    return differs ? [{ ruleId: rule.ruleId, enabled, thresholds: values }] : [];
  });
}

/** Whether every threshold can be saved as it is typed. */
export function isValid(rules: readonly Rule[], draft: Draft): boolean {
  return rules.every((rule) => {
    const { thresholds } = drafted(rule, draft);
    return rule.thresholds.every((threshold) => textProblem(threshold, thresholds[threshold.name] ?? '') === null);
  });
}

/** The rules as a replay wants them: the changed ones, or one as it is when there are none. */
export function triedRules(rules: readonly Rule[], draft: Draft): RuleChange[] {
  const changes = changesOf(rules, draft);
  if (changes.length > 0) return changes;
  return rules.slice(0, 1).map(({ ruleId, enabled, thresholds }) => ({
    ruleId,
    enabled,
    thresholds: Object.fromEntries(thresholds.map(({ name, value }) => [name, value])),
  }));
}
