import { z } from 'zod';
import { maxMatchedLength, readPattern } from '@/domain/questions/patterns';
import { hasHiddenCharacters } from '@/domain/text/line';
import { webAddress } from '@/domain/text/web-address';
import type { CustomFieldDefinition } from '@/domain/tournaments/settings';

/** Answers by question key, as they are stored; empty answers are left out. */
export type Answers = Record<string, string | number | boolean>;

const maxTextLength = 2_000;
const atMost = (max: number) => `Use at most ${max.toLocaleString('en')} characters.`;

/** Trims texts. An empty field counts as no answer, whatever its type. */
function trim(value: unknown): unknown {
  const trimmed = typeof value === 'string' ? value.trim() : value;
  return trimmed === '' || trimmed === null ? undefined : trimmed;
}

const countOf = (text: string, what: RegExp): number => text.match(what)?.length ?? 0;
/**
 * Whether a pattern repeats a group, or repeats or leaves out more than a few things: programs that match by trying all ways may take
 * ages for it.
 */
const isSlowElsewhere = (pattern: string): boolean =>
  /\)[*+?{]/.test(pattern) || countOf(pattern, /[*+]|\{\d*,\d*\}/g) > 2 || countOf(pattern, /\?/g) > 8;

/** The pattern for JSON Schema, anchored; undefined when it is not a JavaScript expression, or slow where it is not matched as here. */
function asSchemaPattern(pattern: string): string | undefined {
  if (isSlowElsewhere(pattern)) return undefined;
  const whole = `^(?:${pattern})$`;
  try {
    new RegExp(whole, 'u');
    return whole;
  } catch {
    return undefined;
  }
}

/** The check of every text that is typed, whose characters could turn around or hide what is shown beside it. */
const visible = (label: string) =>
  [
    (value: string) => !hasHiddenCharacters(value),
    { error: `${label} must not contain control characters or invisible characters.`, abort: true },
  ] as const;

function textSchema(
  { label, pattern, helpText }: CustomFieldDefinition,
  error: (message: string) => z.core.$ZodErrorMap,
) {
  const max = pattern ? maxMatchedLength : maxTextLength;
  const text = z
    .string({ error: error(`${label} must be text.`) })
    .max(max, { error: atMost(max), abort: true })
    .refine(...visible(label));
  if (!pattern) return text;
  const expression = readPattern(pattern);
  const schemaPattern = asSchemaPattern(pattern);
  const message = `${label} does not have the right format${helpText ? `: ${helpText}` : '.'}`;
  return text
    .refine((value) => expression?.matches(value) ?? true, message)
    .meta(schemaPattern ? { pattern: schemaPattern } : {});
}

/** Characters of choices that a message names; a file may get one for each of thousands of lines. */
const maxNamed = 200;

/** The choices of a question, as many as a message has room for. */
function namedChoices(options: string[]): string {
  const all = options.join(', ');
  if (all.length <= maxNamed) return all;
  const cut = all.slice(0, maxNamed);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(', '), 0)) || cut}, …`;
}

/** The schema of an answer that is there. */
function answerSchema(definition: CustomFieldDefinition): z.ZodType<string | number | boolean> {
  const { type, label, required, options = [] } = definition;
  const error =
    (message: string): z.core.$ZodErrorMap =>
    ({ input }) =>
      input === undefined ? `${label} is required.` : message;
  switch (type) {
    case 'number':
      return z.number({ error: error(`${label} must be a number.`) });
    case 'checkbox':
      return z
        .boolean({ error: error(`${label} must be true or false.`) })
        .refine((ticked) => ticked || !required, `${label} must be ticked.`)
        .meta(required ? { const: true } : {});
    case 'select':
      return z.enum(options, { error: error(`${label} must be one of: ${namedChoices(options)}.`) });
    case 'url':
      return z
        .string({ error: error(`${label} must be a web address (https://…).`) })
        .max(maxTextLength, atMost(maxTextLength))
        .refine(...visible(label))
        .refine((value) => webAddress(value) !== null, `${label} must be a web address (https://…).`)
        .meta({ format: 'uri' });
    case 'text':
      return textSchema(definition, error);
  }
}

function questionSchema(definition: CustomFieldDefinition) {
  const { label, required, helpText } = definition;
  const schema = answerSchema(definition);
  const field = required ? z.preprocess(trim, schema) : z.preprocess(trim, schema.optional()).optional();
  return field.meta({ title: label, ...(helpText ? { description: helpText } : {}) });
}

/** Copies the sent keys only: every object inherits keys like `constructor`. */
const ownKeys = (given: unknown): unknown =>
  typeof given === 'object' && given !== null ? Object.assign(Object.create(null), given) : given;

const withoutEmpty = (given: Record<string, unknown>): Answers =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Answers;

/** The questions as an object schema, to generate JSON Schema from. Use `answersSchema` to validate. */
export function answersObject(definitions: CustomFieldDefinition[]) {
  return z.object(Object.fromEntries(definitions.map((definition) => [definition.key, questionSchema(definition)])));
}

function build(definitions: CustomFieldDefinition[]) {
  return z.preprocess(ownKeys, answersObject(definitions)).transform(withoutEmpty);
}

type AnswersSchema = ReturnType<typeof build>;

/** The one that was used longest ago first. */
const cache = new Map<string, AnswersSchema>();
const maxCacheSize = 200;
/** The schema of each list: questions can have as many as 65,000 characters, and an import has thousands of answers. */
const byList = new WeakMap<CustomFieldDefinition[], AnswersSchema>();

/**
 * Validates answers in the browser and on the server, and returns them as they are stored: answers to unknown questions
 * and empty answers are dropped, and texts are trimmed.
 */
export function answersSchema(definitions: CustomFieldDefinition[]): AnswersSchema {
  const schema = byList.get(definitions) ?? schemaOf(definitions);
  byList.set(definitions, schema);
  return schema;
}

function schemaOf(definitions: CustomFieldDefinition[]): AnswersSchema {
  const key = JSON.stringify(definitions);
  // Building a schema costs far more than using it, and questions rarely change.
  const schema = cache.get(key) ?? build(definitions);
  cache.delete(key);
  cache.set(key, schema);
  const [oldest] = cache.keys();
  if (oldest !== undefined && cache.size > maxCacheSize) cache.delete(oldest);
  return schema;
}

/** Validates answers: returns them as they are stored, or the issues by `customFields.<key>`. */
export function checkAnswers(definitions: CustomFieldDefinition[], given: Record<string, unknown>) {
  const checked = answersSchema(definitions).safeParse(given);
  if (checked.success) return { answers: checked.data, issues: [] };
  const issues = checked.error.issues.map(({ path, message }) => ({
    path: ['customFields', ...path].join('.'),
    message,
  }));
  return { answers: {} as Answers, issues };
}
