import { type FieldErrors, type FieldPath, get, type Resolver, set } from 'react-hook-form';
import { z } from 'zod';
import type { Subscription } from '@/components/webhooks/types';
import { type Condition, type ConditionOperator, conditionOperators } from '@/domain/webhooks/filters';
import {
  type Authentication,
  type AuthMode,
  authenticationSchema,
  deliveryBounds,
  healthBounds,
  healthCheckSchema,
  isSameOrigin,
  rateLimitSchema,
  settingFields,
} from '@/domain/webhooks/settings';

/** A condition as typed, with its value as text. */
export type ConditionValues = { field: string; operator: ConditionOperator; value: string };

/** The form's values: flat, with typed lists as text. */
export type FormValues = {
  url: string;
  description: string;
  events: string[];
  mode: AuthMode;
  token: string;
  username: string;
  password: string;
  headerName: string;
  headerValue: string;
  signPayload: boolean;
  timeoutMs: number;
  maxRetries: number;
  retryBaseDelayMs: number;
  retryBackoffMultiplier: number;
  enableCircuitBreaker: boolean;
  circuitBreakerThreshold: number;
  circuitBreakerTimeoutMs: number;
  perMinute: number | null;
  perHour: number | null;
  perDay: number | null;
  burst: number | null;
  ipWhitelist: string;
  allowLockout: boolean;
  aggregateTypes: string[];
  tournamentIds: string[];
  userIds: string;
  conditions: ConditionValues[];
  healthEnabled: boolean;
  healthUrl: string;
  intervalSeconds: number;
  expectedStatusCodes: string;
};

export const defaultValues: FormValues = {
  url: '',
  description: '',
  events: [],
  mode: 'hmac_signature',
  token: '',
  username: '',
  password: '',
  headerName: '',
  headerValue: '',
  signPayload: true,
  timeoutMs: deliveryBounds.timeoutMs.default,
  maxRetries: deliveryBounds.maxRetries.default,
  retryBaseDelayMs: deliveryBounds.retryBaseDelayMs.default,
  retryBackoffMultiplier: deliveryBounds.retryBackoffMultiplier.default,
  enableCircuitBreaker: true,
  circuitBreakerThreshold: deliveryBounds.circuitBreakerThreshold.default,
  circuitBreakerTimeoutMs: deliveryBounds.circuitBreakerTimeoutMs.default,
  perMinute: null,
  perHour: null,
  perDay: null,
  burst: null,
  ipWhitelist: '',
  allowLockout: false,
  aggregateTypes: [],
  tournamentIds: [],
  userIds: '',
  conditions: [],
  healthEnabled: false,
  healthUrl: '',
  intervalSeconds: healthBounds.default,
  expectedStatusCodes: '200',
};

/** Splits text at commas, spaces and line breaks. */
export function splitList(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

type Scalar = string | number | boolean | null;

/** Parses a typed value. `true`, `false`, `null` and numbers become such values; text in quotes stays text. */
export function parseScalar(text: string): Scalar {
  const plain = text.trim();
  if (plain === 'true') return true;
  if (plain === 'false') return false;
  if (plain === 'null') return null;
  if (/^-?\d+(\.\d+)?$/.test(plain)) return Number(plain);
  if (!/^"(?:[^"\\]|\\.)*"$/.test(plain)) return plain;
  try {
    return String(JSON.parse(plain));
  } catch {
    return plain;
  }
}

function formatConditionValue(value: Condition['value']): string {
  if (Array.isArray(value)) return value.map(formatConditionValue).join(', ');
  if (typeof value === 'string')
    return parseScalar(value) === value && !/[",]/.test(value) ? value : JSON.stringify(value);
  return value === undefined ? '' : String(value);
}

/** Splits text at commas outside quotes. */
function splitQuotedList(text: string): string[] {
  return [...text.matchAll(/\s*"(?:[^"\\]|\\.)*"\s*(?=,|$)|[^,]+/g)].map(([part]) => part.trim()).filter(Boolean);
}

/** Converts a typed condition to API input. */
export function toCondition({ field, operator, value }: ConditionValues): Condition {
  const path = field.trim();
  if (operator === 'exists') return { field: path, operator, value: value.trim() !== 'false' };
  if (operator === 'in' || operator === 'nin')
    return { field: path, operator, value: splitQuotedList(value).map(parseScalar) };
  return value.trim() === '' ? { field: path, operator } : { field: path, operator, value: parseScalar(value) };
}

function toCredentials(values: FormValues) {
  const { mode, token, username, password, headerName, headerValue } = values;
  return {
    hmac_signature: { mode },
    none: { mode },
    bearer_token: { mode, token },
    basic_auth: { mode, username, password },
    custom_header: { mode, headerName, headerValue },
  }[mode];
}

function toRateLimits({ perMinute, perHour, perDay, burst }: FormValues) {
  const caps = Object.entries({ perMinute, perHour, perDay, burst }).filter(([, cap]) => cap !== null);
  return caps.length > 0 ? Object.fromEntries(caps) : null;
}

function toFilters(values: FormValues) {
  const filters = {
    aggregateTypes: values.aggregateTypes,
    tournamentIds: values.tournamentIds,
    userIds: splitList(values.userIds),
    conditions: values.conditions.map(toCondition),
  };
  return Object.values(filters).some((list) => list.length > 0) ? filters : null;
}

/** Converts the form's values to API input, without validating them. */
function toSettingsInput(values: FormValues) {
  const { url, description, events, signPayload, ipWhitelist, healthEnabled, healthUrl } = values;
  const { timeoutMs, maxRetries, retryBaseDelayMs, retryBackoffMultiplier } = values;
  const { enableCircuitBreaker, circuitBreakerThreshold, circuitBreakerTimeoutMs } = values;
  return {
    url,
    description,
    events,
    signPayload: signPayload || values.mode === 'hmac_signature',
    timeoutMs,
    maxRetries,
    retryBaseDelayMs,
    retryBackoffMultiplier,
    enableCircuitBreaker,
    circuitBreakerThreshold,
    circuitBreakerTimeoutMs,
    rateLimitConfig: toRateLimits(values),
    ipWhitelist: splitList(ipWhitelist),
    filters: toFilters(values),
    healthCheck: healthEnabled
      ? {
          enabled: true,
          ...(healthUrl.trim() ? { url: healthUrl } : {}),
          intervalSeconds: values.intervalSeconds,
          expectedStatusCodes: splitList(values.expectedStatusCodes).map(Number),
        }
      : null,
  };
}

const settingsSchema = z.object({
  ...settingFields,
  events: z.array(z.string()).min(1, 'Choose at least one event.'),
  rateLimitConfig: rateLimitSchema.nullable(),
  filters: settingFields.filters.nullable(),
  healthCheck: healthCheckSchema.nullable(),
});
export type Settings = z.infer<typeof settingsSchema>;

/** The settings of a valid form. @throws ZodError when it is not valid */
export function toSettings(values: FormValues): Settings {
  return settingsSchema.parse(toSettingsInput(values));
}

/** The credentials of a valid form. @throws ZodError when they are not valid */
export function toAuthentication(values: FormValues): Authentication {
  return authenticationSchema.parse(toCredentials(values));
}

/** The field of each mode that is never shown again. */
const secretFields = { bearer_token: 'token', basic_auth: 'password', custom_header: 'headerValue' } as const;

/**
 * Whether the stored credential can be kept: the mode is unchanged, and so are scheme, host and port that the credential
 * was entered for.
 */
export function canKeepCredential(
  { mode, url }: Pick<FormValues, 'mode' | 'url'>,
  saved: Subscription | null,
): boolean {
  if (!saved || saved.authentication.mode !== mode) return false;
  return mode === 'none' || mode === 'hmac_signature' || isSameOrigin(saved.url, url);
}

/** Whether saving keeps the stored credential: it can be kept, and no new secret was typed. */
export function keepsStoredCredential(values: FormValues, saved: Subscription | null): boolean {
  if (!canKeepCredential(values, saved)) return false;
  if (values.mode === 'none' || values.mode === 'hmac_signature') return true;
  return values[secretFields[values.mode]] === '';
}

/** The credentials to change, or undefined for none. Omitted fields keep their stored values. */
export function authenticationChange(values: FormValues, saved: Subscription) {
  if (!keepsStoredCredential(values, saved)) return toAuthentication(values);
  const { mode, username, headerName } = values;
  if (mode === 'basic_auth' && username !== saved.authentication.label) return { mode, username };
  if (mode === 'custom_header' && headerName !== saved.authentication.label) return { mode, headerName };
  return undefined;
}

/** The form's values for a saved subscription. Secrets are empty, because they are never shown again. */
export function toFormValues(saved: Subscription): FormValues {
  const { mode, label } = saved.authentication;
  const { healthCheck, filters, rateLimitConfig } = saved;
  return {
    ...defaultValues,
    url: saved.url,
    description: saved.description,
    events: saved.events,
    mode,
    username: mode === 'basic_auth' ? (label ?? '') : '',
    headerName: mode === 'custom_header' ? (label ?? '') : '',
    signPayload: saved.signPayload,
    timeoutMs: saved.timeoutMs,
    maxRetries: saved.maxRetries,
    retryBaseDelayMs: saved.retryBaseDelayMs,
    retryBackoffMultiplier: saved.retryBackoffMultiplier,
    enableCircuitBreaker: saved.enableCircuitBreaker,
    circuitBreakerThreshold: saved.circuitBreakerThreshold,
    circuitBreakerTimeoutMs: saved.circuitBreakerTimeoutMs,
    perMinute: rateLimitConfig?.perMinute ?? null,
    perHour: rateLimitConfig?.perHour ?? null,
    perDay: rateLimitConfig?.perDay ?? null,
    burst: rateLimitConfig?.burst ?? null,
    ipWhitelist: saved.ipWhitelist.join('\n'),
    aggregateTypes: filters?.aggregateTypes ?? [],
    tournamentIds: filters?.tournamentIds ?? [],
    userIds: (filters?.userIds ?? []).join('\n'),
    conditions: (filters?.conditions ?? []).map(({ field, operator, value }) => ({
      field,
      operator: conditionOperators.find((each) => each === operator) ?? 'eq',
      value: formatConditionValue(value),
    })),
    healthEnabled: healthCheck?.enabled ?? false,
    healthUrl: healthCheck?.url ?? '',
    intervalSeconds: healthCheck?.intervalSeconds ?? defaultValues.intervalSeconds,
    expectedStatusCodes: (healthCheck?.expectedStatusCodes ?? [200]).join(', '),
  };
}

const isField = (name: string): name is keyof FormValues => Object.hasOwn(defaultValues, name);

/** API settings that span several form fields, and the field that shows errors about the whole setting. */
const groupFields: Record<string, keyof FormValues> = {
  authentication: 'mode',
  filters: 'aggregateTypes',
  rateLimitConfig: 'perMinute',
  healthCheck: 'healthEnabled',
};

/** The form field of an API path: `healthCheck.url` is `healthUrl`. */
export function toFormPath(path: readonly PropertyKey[]): FieldPath<FormValues> {
  const [first = '', second = '', third, fourth] = path.map(String);
  if (first === 'filters' && second === 'conditions' && third !== undefined) {
    return `conditions.${Number(third)}.${fourth === 'field' || fourth === 'operator' ? fourth : 'value'}`;
  }
  if (first === 'healthCheck' && second === 'url') return 'healthUrl';
  const group = groupFields[first];
  const name = group ? second : first;
  return isField(name) ? name : (group ?? 'url');
}

/** Form fields by API path, where the two differ. */
export const serverFieldNames = Object.fromEntries(
  [
    ...['mode', 'token', 'username', 'password', 'headerName', 'headerValue'].map((name) => `authentication.${name}`),
    ...['perMinute', 'perHour', 'perDay', 'burst'].map((name) => `rateLimitConfig.${name}`),
    ...['aggregateTypes', 'tournamentIds', 'userIds', 'conditions'].map((name) => `filters.${name}`),
    ...['url', 'intervalSeconds', 'expectedStatusCodes'].map((name) => `healthCheck.${name}`),
  ].map((path) => [path, toFormPath(path.split('.'))]),
);

/** All validation issues of a form, by the API's own schemas. */
export function findIssues(values: FormValues, saved: Subscription | null) {
  const settings = settingsSchema.safeParse(toSettingsInput(values));
  const credentials = keepsStoredCredential(values, saved)
    ? undefined
    : authenticationSchema.safeParse(toCredentials(values)).error;
  return [
    ...(settings.error?.issues ?? []),
    ...(credentials?.issues ?? []).map((issue) => ({ ...issue, path: ['authentication', ...issue.path] })),
  ].map((issue) => ({ name: toFormPath(issue.path), message: issue.message }));
}

/** Validates the form with the API's own schemas. */
export function webhookResolver(saved: Subscription | null): Resolver<FormValues> {
  return (values) => {
    const issues = findIssues(values, saved);
    if (issues.length === 0) return { values, errors: {} };
    const errors: FieldErrors<FormValues> = {};
    for (const { name, message } of issues) {
      if (!get(errors, name)) set(errors, name, { type: 'validate', message });
    }
    return { values: {}, errors };
  };
}

/** The API names of the settings that differ. */
export function changedFields(one: Settings, other: Settings): (keyof Settings)[] {
  const keys = Object.keys(one) as (keyof Settings)[];
  return keys.filter((key) => JSON.stringify(one[key]) !== JSON.stringify(other[key]));
}
