import type { z } from 'zod';
import { validateOptions } from '@/domain/brackets/options';
import { pageSlugs } from '@/domain/text/slug';
import type {
  CustomFieldDefinition,
  formatOptions,
  SettingsInput,
  tournamentFormat,
  tournamentStatus,
} from '@/domain/tournaments/settings';

export type TournamentStatus = z.infer<typeof tournamentStatus>;
export type TournamentFormat = z.infer<typeof tournamentFormat>;
type Issue = { path: string; message: string };

const statusWords: Record<TournamentStatus, string> = {
  DRAFT: 'a draft',
  PUBLISHED: 'published',
  IN_PROGRESS: 'in progress',
  COMPLETED: 'completed',
  CANCELLED: 'cancelled',
};

/** The status at the end of a sentence: "The tournament is in progress." */
export function inWords(status: TournamentStatus): string {
  return statusWords[status];
}

export type FormatOptions = z.infer<typeof formatOptions>;

/** The settings that `settingsIssues` checks, as they would be after a change. */
export type Settings = {
  format: TournamentFormat;
  teamSize: number;
  rosterMin: number;
  rosterMax: number;
  startDate: Date;
  registrationOpensAt: Date | null;
  registrationClosesAt: Date | null;
  checkInOpensAt: Date | null;
  checkInClosesAt: Date | null;
  rosterLockAt: Date | null;
  customFields: CustomFieldDefinition[];
  formatOptions: FormatOptions;
};

/** What is wrong with the combination of settings; empty when nothing is. Only the server can check patterns. */
export function settingsIssues(settings: Settings): Issue[] {
  return [
    ...windowIssues(settings, 'registrationOpensAt', 'registrationClosesAt', 'Registration'),
    ...windowIssues(settings, 'checkInOpensAt', 'checkInClosesAt', 'Check-in'),
    ...rosterLockIssues(settings),
    ...rosterIssues(settings),
    ...customFieldIssues(settings.customFields),
    ...formatIssues(settings),
  ];
}

function rosterLockIssues({ rosterLockAt, startDate }: Settings): Issue[] {
  if (!rosterLockAt || rosterLockAt <= startDate) return [];
  return [{ path: 'rosterLockAt', message: 'Rosters must lock at the start or before it.' }];
}

function windowIssues(
  settings: Settings,
  opens: 'registrationOpensAt' | 'checkInOpensAt',
  closes: 'registrationClosesAt' | 'checkInClosesAt',
  what: string,
): Issue[] {
  const { startDate } = settings;
  const opensAt = settings[opens];
  const closesAt = settings[closes];
  const issues: Issue[] = [];
  if (closesAt && closesAt > startDate) {
    issues.push({ path: closes, message: `${what} must close at the start or before it.` });
  }
  if (opensAt && opensAt > startDate) issues.push({ path: opens, message: `${what} must open before the start.` });
  else if (opensAt && closesAt && opensAt > closesAt) {
    issues.push({ path: opens, message: `${what} must open before it closes.` });
  }
  return issues;
}

function rosterIssues({ teamSize, rosterMin, rosterMax }: Settings): Issue[] {
  if (teamSize === 1) {
    if (rosterMin === 1 && rosterMax === 1) return [];
    return [{ path: 'rosterMax', message: 'A tournament for individual players has rosters of exactly 1.' }];
  }
  const issues: Issue[] = [];
  if (rosterMin > rosterMax) issues.push({ path: 'rosterMin', message: 'must not be more than rosterMax' });
  if (rosterMax < teamSize) issues.push({ path: 'rosterMax', message: `must be at least the team size, ${teamSize}` });
  return issues;
}

function customFieldIssues(definitions: CustomFieldDefinition[]): Issue[] {
  const issues: Issue[] = [];
  const seen = new Set<string>();
  for (const [index, { key, type, options, pattern }] of definitions.entries()) {
    const path = `customFields.${index}`;
    if (seen.has(key)) issues.push({ path: `${path}.key`, message: `The key ${key} is used twice.` });
    seen.add(key);
    // The form library keeps no field of such a name.
    if (['constructor', 'prototype'].includes(key))
      issues.push({ path: `${path}.key`, message: 'Choose another key.' });
    if (type === 'select' && !options?.length) issues.push({ path: `${path}.options`, message: 'Enter the choices.' });
    if (new Set(options).size < (options?.length ?? 0)) {
      issues.push({ path: `${path}.options`, message: 'Enter each choice only once.' });
    }
    if (type !== 'select' && options?.length) {
      issues.push({ path: `${path}.options`, message: 'Only questions of the type select have choices.' });
    }
    if (pattern !== undefined && type !== 'text') {
      issues.push({ path: `${path}.pattern`, message: 'Only questions of the type text have a pattern.' });
    }
  }
  return issues;
}

function formatIssues({ format, formatOptions: options }: Settings): Issue[] {
  return validateOptions(format, options).map(({ path, message }) => ({ path: `formatOptions.${path}`, message }));
}

export type EditableField = keyof SettingsInput;

/**
 * Until when each setting may change. `registrations`: until someone has registered, since players rely on it;
 * `publication`: while a draft; `start`: until the tournament starts; `always`: even when it is over.
 */
const editableUntil = {
  name: 'start',
  description: 'always',
  rules: 'always',
  visibility: 'always',
  prizePool: 'always',
  slug: 'publication',
  game: 'registrations',
  teamSize: 'registrations',
  rosterMin: 'registrations',
  rosterMax: 'registrations',
  entryFee: 'registrations',
  format: 'start',
  formatOptions: 'start',
  maxParticipants: 'start',
  startDate: 'start',
  timezone: 'start',
  registrationOpensAt: 'start',
  registrationClosesAt: 'start',
  checkInOpensAt: 'start',
  checkInClosesAt: 'start',
  rosterLockAt: 'start',
  requiresApproval: 'start',
  waitlistEnabled: 'start',
  allowCancel: 'start',
  allowEdit: 'start',
  requiresAntiCheat: 'start',
  customFields: 'start',
  autoStart: 'start',
  noShowGraceMinutes: 'always',
  resultMode: 'always',
  autoConfirmMinutes: 'always',
} as const satisfies Record<EditableField, 'publication' | 'registrations' | 'start' | 'always'>;

/** Whether a change of `fields` depends on whether someone has registered. */
export function dependOnRegistrations(fields: readonly EditableField[]): boolean {
  return fields.some((field) => field === 'customFields' || editableUntil[field] === 'registrations');
}

/** Which of `fields` can no longer be changed, each with the reason; empty when all can. */
export function lockedFields(
  fields: readonly EditableField[],
  tournament: { status: TournamentStatus; hasRegistrations: boolean },
): Issue[] {
  const { status, hasRegistrations } = tournament;
  const beforeStart = status === 'DRAFT' || status === 'PUBLISHED';
  return fields.flatMap((path): Issue[] => {
    const until = editableUntil[path];
    if (until === 'always') return [];
    if (!beforeStart) return [{ path, message: `cannot be changed once the tournament is ${inWords(status)}` }];
    if (until === 'publication' && status !== 'DRAFT') {
      return [{ path, message: 'cannot be changed once the tournament is published' }];
    }
    if (until === 'registrations' && hasRegistrations) {
      return [{ path, message: 'cannot be changed once someone has registered' }];
    }
    return [];
  });
}

/** The questions whose type would change, which is not allowed once participants have answered them. */
export function retypedFields(
  before: Pick<CustomFieldDefinition, 'key' | 'type'>[],
  next: CustomFieldDefinition[],
): Issue[] {
  const types = new Map(before.map((field) => [field.key, field.type]));
  return next.flatMap(({ key, type }, index) => {
    const was = types.get(key);
    return was && was !== type
      ? [{ path: `customFields.${index}.type`, message: `is ${was} and cannot be changed once someone has registered` }]
      : [];
  });
}

/** How a tournament's slug is made from its name. */
export const tournamentSlug = { maxLength: 60, fallback: 'tournament', pages: pageSlugs } as const;
