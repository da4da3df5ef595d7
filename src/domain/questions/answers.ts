import { z } from 'zod';
import { readPattern } from '@/domain/questions/patterns';
import type { CustomFieldDefinition } from '@/domain/tournaments/settings';

/** Answers by field key, as they are kept: empty ones are not there. */
export type Answers = Record<string, string | number | boolean>;

const longestText = 2_000;
const tooLong = `Use at most ${longestText.toLocaleString('en')} characters.`;

/** Texts are trimmed; nothing typed is no answer, whatever the type. */
function trimmed(value: unknown): unknown {
  const plain = typeof value === 'string' ? value.trim() : value;
  return plain === '' || plain === null ? undefined : plain;
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** A pattern as JSON Schema can say it: the whole text, and only where JavaScript reads it too. */
function asSchemaPattern(pattern: string): string | undefined {
  const whole = `^(?:${pattern})$`;
  try {
    new RegExp(whole, 'u');
    return whole;
  } catch {
    return undefined;
  }
}

function textSchema(
  { label, pattern, helpText }: CustomFieldDefinition,
  error: (wrong: string) => z.core.$ZodErrorMap,
) {
  const text = z.string({ error: error(`${label} must be a text.`) }).max(longestText, tooLong);
  if (!pattern) return text;
  const expression = readPattern(pattern);
  const said = asSchemaPattern(pattern);
  const message = `${label} does not have the form asked for${helpText ? `: ${helpText}` : '.'}`;
  return text.refine((value) => expression?.fits(value) ?? true, message).meta(said ? { pattern: said } : {});
}

/** What one question takes once it is answered. */
function answered(definition: CustomFieldDefinition): z.ZodType<string | number | boolean> {
  const { type, label, required, options = [] } = definition;
  const error =
    (wrong: string): z.core.$ZodErrorMap =>
    ({ input }) =>
      input === undefined ? `${label} is required.` : wrong;
  switch (type) {
    case 'number':
      return z.number({ error: error(`${label} must be a number.`) });
    case 'checkbox':
      return z
        .boolean({ error: error(`${label} must be true or false.`) })
        .refine((ticked) => ticked || !required, `${label} must be ticked.`)
        .meta(required ? { const: true } : {});
    case 'select':
      return z.enum(options, { error: error(`${label} must be one of: ${options.join(', ')}.`) });
    case 'url':
      return z
        .string({ error: error(`${label} must be a web address (https://…).`) })
        .max(longestText, tooLong)
        .refine(isWebAddress, `${label} must be a web address (https://…).`)
        .meta({ format: 'uri' });
    case 'text':
      return textSchema(definition, error);
  }
}

function question(definition: CustomFieldDefinition) {
  const { label, required, helpText } = definition;
  const schema = answered(definition);
  const taken = required ? z.preprocess(trimmed, schema) : z.preprocess(trimmed, schema.optional()).optional();
  return taken.meta({ title: label, ...(helpText ? { description: helpText } : {}) });
}

/** Only what the sender wrote: a key like `constructor` stands in every object. */
const own = (given: unknown): unknown =>
  typeof given === 'object' && given !== null ? Object.assign(Object.create(null), given) : given;

const present = (given: Record<string, unknown>): Answers =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Answers;

/** The questions as an object, whose JSON Schema says what to send. `answersSchema` is what checks. */
export function answersObject(definitions: CustomFieldDefinition[]) {
  return z.object(Object.fromEntries(definitions.map((definition) => [definition.key, question(definition)])));
}

function build(definitions: CustomFieldDefinition[]) {
  return z.preprocess(own, answersObject(definitions)).transform(present);
}

type AnswersSchema = ReturnType<typeof build>;

const kept = new Map<string, AnswersSchema>();
const mostKept = 200;

/**
 * The one check of answers, in browsers and on the server: takes what was sent, gives what is kept. Answers to unknown
 * questions are dropped, empty ones count as none, texts are trimmed.
 */
export function answersSchema(definitions: CustomFieldDefinition[]): AnswersSchema {
  const key = JSON.stringify(definitions);
  const known = kept.get(key);
  if (known) return known;
  const schema = build(definitions);
  // Making one costs far more than using it, and a tournament's questions rarely change.
  if (kept.size >= mostKept) kept.clear();
  kept.set(key, schema);
  return schema;
}

/** Answers checked: what is kept, or what is wrong by `customFields.<key>`. */
export function checkAnswers(definitions: CustomFieldDefinition[], given: Record<string, unknown>) {
  const checked = answersSchema(definitions).safeParse(given);
  if (checked.success) return { answers: checked.data, issues: [] };
  const issues = checked.error.issues.map(({ path, message }) => ({
    path: ['customFields', ...path].join('.'),
    message,
  }));
  return { answers: {} as Answers, issues };
}
