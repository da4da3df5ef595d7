import { patternIssues } from '@/domain/questions/patterns';
import { slugify } from '@/domain/text/slug';
import { type EditableField, settingsIssues, tournamentSlug } from '@/domain/tournaments/rules';
import { customFieldDefinition, formatOptions, money, type SettingsInput } from '@/domain/tournaments/settings';
import { Prisma } from '@/generated/prisma/client';
import type { TournamentUncheckedCreateInput } from '@/generated/prisma/models';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import type { SettingsRow } from './data';
import { findGameScope } from './games/data';

const moments = [
  'startDate',
  'registrationOpensAt',
  'registrationClosesAt',
  'checkInOpensAt',
  'checkInClosesAt',
  'rosterLockAt',
] as const;

/** The settings of a new tournament that its organizer left out. */
export const defaults = {
  description: '',
  rules: '',
  format: 'single_elimination',
  teamSize: 1,
  visibility: 'public',
  timezone: 'UTC',
  registrationOpensAt: null,
  registrationClosesAt: null,
  checkInOpensAt: null,
  checkInClosesAt: null,
  rosterLockAt: null,
  requiresApproval: false,
  waitlistEnabled: false,
  allowCancel: true,
  allowEdit: true,
  requiresAntiCheat: false,
  customFields: [],
  entryFee: null,
  prizePool: null,
  formatOptions: {},
  autoStart: false,
  noShowGraceMinutes: 10,
  resultMode: 'confirm',
  autoConfirmMinutes: 15,
} as const;

/** Every setting of a tournament, as the API writes them. */
export type TournamentSettings = { [Field in EditableField]: Exclude<SettingsInput[Field], undefined> };

/** TournamentSettings as columns. */
export function toColumns(settings: TournamentSettings) {
  const { game, entryFee, prizePool, ...rest } = settings;
  const dates = Object.fromEntries(
    moments.map((field) => [field, settings[field] === null ? null : new Date(settings[field])]),
  ) as Record<(typeof moments)[number], Date | null> & { startDate: Date };
  return {
    ...rest,
    ...dates,
    gameId: game,
    entryFee: entryFee ?? Prisma.DbNull,
    prizePool: prizePool ?? Prisma.DbNull,
  } satisfies Partial<TournamentUncheckedCreateInput>;
}

/** Columns as settings: the input that would leave the row as it is. */
export function toSettings(row: SettingsRow): TournamentSettings {
  const { gameId, startDate, ...rest } = row;
  const iso = (date: Date | null) => date?.toISOString() ?? null;
  return {
    name: rest.name,
    slug: rest.slug,
    description: rest.description,
    rules: rest.rules,
    game: gameId,
    format: rest.format,
    teamSize: rest.teamSize,
    rosterMin: rest.rosterMin,
    rosterMax: rest.rosterMax,
    maxParticipants: rest.maxParticipants,
    visibility: rest.visibility,
    startDate: startDate.toISOString(),
    timezone: rest.timezone,
    registrationOpensAt: iso(rest.registrationOpensAt),
    registrationClosesAt: iso(rest.registrationClosesAt),
    checkInOpensAt: iso(rest.checkInOpensAt),
    checkInClosesAt: iso(rest.checkInClosesAt),
    rosterLockAt: iso(rest.rosterLockAt),
    requiresApproval: rest.requiresApproval,
    waitlistEnabled: rest.waitlistEnabled,
    allowCancel: rest.allowCancel,
    allowEdit: rest.allowEdit,
    requiresAntiCheat: rest.requiresAntiCheat,
    customFields: customFieldDefinition.array().parse(rest.customFields),
    entryFee: money.nullable().parse(rest.entryFee),
    prizePool: money.nullable().parse(rest.prizePool),
    formatOptions: formatOptions.parse(rest.formatOptions),
    autoStart: rest.autoStart,
    noShowGraceMinutes: rest.noShowGraceMinutes,
    resultMode: rest.resultMode,
    autoConfirmMinutes: rest.autoConfirmMinutes,
  };
}

/** Converts timestamps to UTC, so that equal moments compare as equal. */
export function inUtc<T extends SettingsInput>(settings: T): T {
  const copy = { ...settings };
  for (const field of moments) {
    const value = copy[field];
    if (value) copy[field] = new Date(value).toISOString();
  }
  return copy;
}

/**
 * Checks settings as a whole.
 * @param projectId of the tournament: another project's games do not exist for it
 * @param changed the fields that were sent
 * @returns the columns that the settings do not say by themselves
 * @throws VALIDATION_FAILED
 */
export async function checkSettings(
  tx: Tx,
  projectId: string,
  settings: TournamentSettings,
  changed: readonly EditableField[],
): Promise<{ gameScope?: string }> {
  const columns = toColumns(settings);
  const issues = [...settingsIssues(columns), ...patternIssues(columns.customFields)];
  if (changed.includes('startDate') && columns.startDate <= new Date()) {
    issues.push({ path: 'startDate', message: 'must be in the future' });
  }
  let gameScope: string | null = null;
  if (changed.includes('game')) {
    gameScope = await findGameScope(tx, projectId, settings.game);
    if (gameScope === null) issues.push({ path: 'game', message: `There is no game ${settings.game}.` });
  }
  if (issues.length > 0) throw refuse('VALIDATION_FAILED', { issues });
  return gameScope === null ? {} : { gameScope };
}

/** The settings of a new tournament: what its organizer sent, completed with defaults. */
export function completeSettings(
  sent: SettingsInput & Pick<TournamentSettings, 'name' | 'game' | 'maxParticipants' | 'startDate'>,
): TournamentSettings {
  const teamSize = sent.teamSize ?? defaults.teamSize;
  const rosterMin = sent.rosterMin ?? teamSize;
  return {
    ...structuredClone(defaults),
    rosterMin,
    rosterMax: Math.max(teamSize, rosterMin),
    slug: slugify(sent.name, tournamentSlug),
    ...sent,
    customFields: sent.customFields ?? [],
    formatOptions: sent.formatOptions ?? {},
  };
}

/** The columns of the settings that changed. */
export function changedColumns(settings: TournamentSettings, changes: readonly EditableField[]) {
  const wanted = new Set<string>(changes.map((field) => (field === 'game' ? 'gameId' : field)));
  return Object.fromEntries(Object.entries(toColumns(settings)).filter(([column]) => wanted.has(column)));
}
