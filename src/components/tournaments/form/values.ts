import { toNestErrors } from '@hookform/resolvers';
import type { FieldError, Resolver } from 'react-hook-form';
import type { z } from 'zod';
import { OPTIONS_OF_FORMAT } from '@/domain/brackets/options';
import { patternIssues } from '@/domain/questions/patterns';
import { slugify } from '@/domain/text/slug';
import { weeksLater } from '@/domain/time/zones';
import { type EditableField, type FormatOptions, settingsIssues } from '@/domain/tournaments/rules';
import {
  type CustomFieldDefinition,
  type SettingsInput,
  type tournamentFormat,
  tournamentSettings,
} from '@/domain/tournaments/settings';
import type { Outputs } from '@/trpc/outputs';

export type Tournament = Outputs['tournaments']['get'];
type Format = z.infer<typeof tournamentFormat>;

/** All settings, with none left undefined. */
export type Settings = { [Field in EditableField]: Exclude<SettingsInput[Field], undefined> };

/** The values of the form: the settings, with a start that may be missing and a slug that may be empty. */
export type FormValues = Omit<Settings, 'startDate' | 'customFields'> & {
  startDate: string | null;
  customFields: (CustomFieldDefinition & { options: string[] })[];
};

/** The initial values for a new tournament. */
export function defaultValues(timezone: string): FormValues {
  return {
    name: '',
    slug: '',
    description: '',
    rules: '',
    game: '',
    format: 'single_elimination',
    teamSize: 1,
    rosterMin: 1,
    rosterMax: 1,
    maxParticipants: 16,
    visibility: 'public',
    startDate: null,
    timezone,
    registrationOpensAt: null,
    registrationClosesAt: null,
    checkInOpensAt: null,
    checkInClosesAt: null,
    rosterLockAt: null,
    requiresApproval: false,
    waitlistEnabled: true,
    allowCancel: true,
    allowEdit: true,
    requiresAntiCheat: false,
    customFields: [],
    entryFee: null,
    prizePool: null,
    formatOptions: { bestOf: 1 },
    autoStart: false,
    noShowGraceMinutes: 10,
    resultMode: 'confirm',
    autoConfirmMinutes: 15,
  };
}

/** The form values of an existing tournament. */
export function toFormValues(detail: Tournament): FormValues {
  const { name, slug, description, rules, game, format, teamSize, rosterMin, rosterMax, maxParticipants } = detail;
  const { visibility, startDate, timezone, registrationOpensAt, registrationClosesAt } = detail;
  const { checkInOpensAt, checkInClosesAt, requiresApproval, waitlistEnabled, allowCancel, allowEdit } = detail;
  return {
    name,
    slug,
    description,
    rules,
    game,
    format,
    teamSize,
    rosterMin,
    rosterMax,
    maxParticipants,
    visibility,
    startDate,
    timezone,
    registrationOpensAt,
    registrationClosesAt,
    checkInOpensAt,
    checkInClosesAt,
    rosterLockAt: detail.rosterLockAt,
    requiresApproval,
    waitlistEnabled,
    allowCancel,
    allowEdit,
    requiresAntiCheat: detail.requiresAntiCheat,
    customFields: detail.customFields.map((field) => ({ ...field, options: field.options ?? [] })),
    entryFee: detail.entryFee,
    prizePool: detail.prizePool,
    formatOptions: detail.formatOptions,
    autoStart: detail.autoStart,
    noShowGraceMinutes: detail.noShowGraceMinutes,
    resultMode: detail.resultMode,
    autoConfirmMinutes: detail.autoConfirmMinutes,
  };
}

/**
 * The form values for a copy of a tournament: moved by whole weeks into the future, at the same local times. The server
 * chooses the slug.
 */
export function copyFormValues(detail: Tournament): FormValues {
  const { timezone, startDate, serverTime } = detail;
  const later = (iso: string, weeks: number) => weeksLater(iso, weeks, timezone);
  const passed = Math.floor((Date.parse(serverTime) - Date.parse(startDate)) / (7 * 86_400_000));
  let weeks = Math.max(1, passed);
  while (Date.parse(later(startDate, weeks)) <= Date.parse(serverTime)) weeks += 1;
  const moved = (iso: string | null) => iso && later(iso, weeks);
  return {
    ...toFormValues(detail),
    slug: '',
    startDate: later(startDate, weeks),
    registrationOpensAt: moved(detail.registrationOpensAt),
    registrationClosesAt: moved(detail.registrationClosesAt),
    checkInOpensAt: moved(detail.checkInOpensAt),
    checkInClosesAt: moved(detail.checkInClosesAt),
    rosterLockAt: moved(detail.rosterLockAt),
  };
}

/** The key of a question's answer: `Discord name` becomes `discord_name`, numbered if it is taken. */
export function questionKey(label: string, taken: ReadonlySet<string>): string {
  const words = slugify(label, { maxLength: 60, fallback: 'question' }).replaceAll('-', '_');
  const base = (/^[a-z]/.test(words) ? words : `q_${words}`).slice(0, 36);
  let key = base;
  for (let number = 2; taken.has(key); number += 1) key = `${base}_${number}`;
  return key;
}

/** The options that the format knows, without those left empty. */
export function supportedOptions(format: Format, options: FormatOptions): FormatOptions {
  const known: readonly string[] = OPTIONS_OF_FORMAT[format];
  const supported = Object.entries(options).filter(([key, value]) => known.includes(key) && value !== undefined);
  return Object.fromEntries(supported);
}

function toQuestions(fields: FormValues['customFields']): CustomFieldDefinition[] {
  const taken = new Set(fields.flatMap(({ key }) => (key ? [key] : [])));
  return fields.map(({ options, pattern, helpText, key, ...field }) => {
    const named = key || questionKey(field.label, taken);
    taken.add(named);
    const choices = options.map((option) => option.trim()).filter(Boolean);
    return {
      ...field,
      ...(field.type === 'select' ? { options: choices } : {}),
      ...(field.type === 'text' && pattern ? { pattern } : {}),
      ...(helpText?.trim() ? { helpText: helpText.trim() } : {}),
      key: named,
    };
  });
}

/** The settings to send: without options of other formats, with question keys, and trimmed like on the server. */
export function toSettings(values: FormValues): Settings & { startDate: string } {
  return {
    ...values,
    name: values.name.trim(),
    startDate: values.startDate ?? '',
    customFields: toQuestions(values.customFields),
    formatOptions: supportedOptions(values.format, values.formatOptions),
  };
}

const stableJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

/** The fields that differ between two sets of settings. */
export function changedFields(before: Settings, after: Settings): EditableField[] {
  const fields = Object.keys(after) as EditableField[];
  return fields.filter((field) => stableJson(before[field]) !== stableJson(after[field]));
}

const complete = tournamentSettings.required();
const withoutSlug = complete.omit({ slug: true });

/**
 * Validates the form with the rules of the server. `before` are the saved settings: an unchanged start may be in the
 * past.
 */
export function settingsResolver(before: FormValues | null): Resolver<FormValues> {
  return (values, _context, options) => {
    const settings = toSettings(values);
    const errors: Record<string, FieldError> = {};
    const add = (path: string, message: string) => {
      // Errors in parts of a single control are shown at that control.
      const field = path.replace(/^(entryFee|prizePool)\..*/, '$1').replace(/^(customFields\.\d+\.options)\..*/, '$1');
      errors[field] ??= { type: 'rule', message };
    };
    const parsed = (values.slug === '' && !before ? withoutSlug : complete).safeParse(settings);
    if (!values.startDate) add('startDate', 'Choose a start time.');
    for (const issue of parsed.error?.issues ?? []) add(issue.path.join('.'), issue.message);
    if (values.startDate && settings.startDate !== before?.startDate && Date.parse(settings.startDate) <= Date.now()) {
      add('startDate', 'The start must be in the future.');
    }
    const date = (iso: string | null) => (iso ? new Date(iso) : null);
    for (const issue of settingsIssues({
      ...settings,
      startDate: values.startDate ? new Date(values.startDate) : new Date(8.64e15),
      registrationOpensAt: date(settings.registrationOpensAt),
      registrationClosesAt: date(settings.registrationClosesAt),
      checkInOpensAt: date(settings.checkInOpensAt),
      checkInClosesAt: date(settings.checkInClosesAt),
      rosterLockAt: date(settings.rosterLockAt),
    })) {
      add(issue.path, issue.message);
    }
    for (const issue of patternIssues(settings.customFields)) add(issue.path, issue.message);
    if (Object.keys(errors).length === 0) return { values, errors: {} };
    return { values: {}, errors: toNestErrors(errors, options) };
  };
}
