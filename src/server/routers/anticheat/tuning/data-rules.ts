import { type AntiCheatGame, antiCheatGameNames } from '@/domain/anticheat/games';
import { changedThresholds, type RuleChange, ruleKeyOf, thresholdsIn } from '@/domain/anticheat/rule-settings';
import { type RuleSetting, rules, rulesOf, thresholdsOf } from '@/domain/anticheat/rules';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { audit, type Origin } from '@/server/events/emit';
import { lockProject } from '@/server/routers/projects/data';

type SettingRow = RuleSetting & { ruleId: string; version: number; updatedById: string; updatedAt: Date };

async function readRows(tx: Tx, projectId: string, game: AntiCheatGame): Promise<SettingRow[]> {
  const rows = await tx.antiCheatRuleSetting.findMany({
    where: { projectId, ruleId: { in: rulesOf(game).map((key) => `${game}.${key}`) } },
    select: { ruleId: true, enabled: true, thresholds: true, version: true, updatedById: true, updatedAt: true },
    orderBy: { updatedAt: 'desc' },
  });
  return rows.map((row) => ({ ...row, thresholds: row.thresholds as Record<string, number> }));
}

// Rows are never deleted and only count up, so their sum does too.
const versionOf = (rows: readonly SettingRow[]) => rows.reduce((sum, { version }) => sum + version, 0);

/** The rules of a game as the project has tuned them. */
export async function readRules(tx: Tx, projectId: string, game: AntiCheatGame) {
  const rows = await readRows(tx, projectId, game);
  const [last] = rows;
  const who = last && (await tx.user.findUnique({ where: { id: last.updatedById }, select: { name: true } }));
  const settings = new Map(rows.map((row) => [row.ruleId, row]));
  return {
    game,
    version: versionOf(rows),
    updatedAt: last?.updatedAt.toISOString() ?? null,
    updatedBy: who?.name ?? null,
    rules: rulesOf(game).map((key) => {
      const ruleId = `${game}.${key}`;
      const { name, description, severity, replays } = rules[key];
      const setting = settings.get(ruleId);
      const values = thresholdsOf(key, setting?.thresholds);
      const thresholds = Object.entries(thresholdsIn(key)).map(([threshold, { standard, ...rest }]) => ({
        name: threshold,
        ...rest,
        standard,
        value: values[threshold] ?? standard,
      }));
      return { ruleId, name, description, severity, replays, enabled: setting?.enabled ?? true, thresholds };
    }),
  };
}

/** What a change does, for the audit log: `Inhuman aim snaps: snaps 4 to 6`. Empty when it changes nothing. */
function describeChange(name: string, before: RuleSetting, after: RuleSetting): string[] {
  const parts = Object.keys(after.thresholds).flatMap((threshold) => {
    const [from, to] = [before.thresholds[threshold], after.thresholds[threshold]];
    return from === to ? [] : [`${threshold} ${from} to ${to}`];
  });
  if (before.enabled !== after.enabled) parts.unshift(after.enabled ? 'on' : 'off');
  return parts.length === 0 ? [] : [`${name}: ${parts.join(', ')}`];
}

/**
 * Changes rules of a game; those that are not named stay as they are.
 * @param version the version that the change is based on; undefined: any
 * @throws VERSION_MISMATCH, FORBIDDEN
 */
export async function updateRules(
  tx: Tx,
  by: Origin,
  {
    projectId,
    userId,
    game,
    changes,
    version,
  }: {
    projectId: string;
    userId: string;
    game: AntiCheatGame;
    changes: readonly RuleChange[];
    version: number | undefined;
  },
): Promise<void> {
  await lockProject(tx, projectId, userId, 'anticheat:write');
  const rows = await readRows(tx, projectId, game);
  if (version !== undefined && version !== versionOf(rows)) throw refuse('VERSION_MISMATCH');
  const settings = new Map(rows.map((row) => [row.ruleId, row]));
  const described: string[] = [];
  for (const { ruleId, enabled, thresholds } of changes) {
    const key = ruleKeyOf(game, ruleId);
    if (!key) throw new Error(`${ruleId} is no rule of ${game}`);
    const before = settings.get(ruleId);
    const difference = describeChange(
      rules[key].name,
      { enabled: before?.enabled ?? true, thresholds: thresholdsOf(key, before?.thresholds) },
      { enabled, thresholds: thresholdsOf(key, thresholds) },
    );
    if (difference.length === 0) continue;
    described.push(...difference);
    const data = { enabled, thresholds: changedThresholds(key, thresholds), updatedById: userId };
    await tx.antiCheatRuleSetting.upsert({
      where: { projectId_ruleId: { projectId, ruleId } },
      create: { projectId, ruleId, ...data, version: 1 },
      update: { ...data, version: { increment: 1 } },
      select: { ruleId: true },
    });
  }
  if (described.length === 0) return;
  await audit(tx, by, {
    projectId,
    action: 'anti_cheat_rules.update',
    targetType: 'anti_cheat_rules',
    targetId: game,
    details: { game: antiCheatGameNames[game], rules: described.join('; ') },
  });
}
