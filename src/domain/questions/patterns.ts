import { RE2JS, RE2JSSyntaxException } from 're2js';
import { stepsAtMost } from '@/domain/questions/pattern-size';
import type { CustomFieldDefinition } from '@/domain/tournaments/settings';

/**
 * The most steps of a pattern per character of an answer. Matching takes linear time, but up to 20 microseconds for a character: three
 * patterns of a thousand steps and answers of 2,000 characters took 160 milliseconds.
 */
const maxSteps = 200;
/** The most steps of all patterns of a form together. */
const maxFormSteps = 300;
/**
 * The most steps that a pattern, and all of a form together, may have by their text before they are compiled: that takes up to five
 * microseconds for each. Some of them are alike and compiled to fewer.
 */
const maxWrittenSteps = 2_000;
/** Characters of an answer that a pattern is matched with. */
export const maxMatchedLength = 100;

/**
 * The most characters that the ranges of a form have together, and as how many a class such as `\p{L}` counts. Where case is ignored,
 * each takes up to 60 nanoseconds to read, whatever the steps: thirty patterns took twelve seconds.
 */
const maxFormWidth = 100_000;
const classWidth = 4_000;
const rangesAndClasses = /(?<=(.))-(?=\\x\{?([0-9a-f]+)|(.))|\\p/gisu;

/** How many characters the ranges and classes of a pattern have together, or somewhat more. */
function widthOf(pattern: string): number {
  return Array.from(pattern.matchAll(rangesAndClasses)).reduce((sum, [found, from = '', hex, to = '']) => {
    if (found !== '-') return sum + classWidth;
    const last = hex ? Number.parseInt(hex, 16) : (to.codePointAt(0) ?? 0);
    return sum + Math.max(last - (from.codePointAt(0) ?? 0), 0);
  }, 0);
}

type Pattern = { steps: number; matches: (text: string) => boolean };

function compile(pattern: string): Pattern | null {
  try {
    const expression = RE2JS.compile(pattern);
    return { steps: expression.programSize(), matches: (text) => expression.matches(text) };
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return null;
    throw error;
  }
}

/** Compiles an RE2 pattern, which always matches in linear time; null when it is invalid or too complex. */
export function readPattern(pattern: string): { matches: (text: string) => boolean } | null {
  if (stepsAtMost(pattern) > maxWrittenSteps) return null;
  const compiled = compile(pattern);
  return compiled && compiled.steps <= maxSteps ? compiled : null;
}

/** Issues for patterns that are invalid, or too complex alone or together. */
export function patternIssues(definitions: CustomFieldDefinition[]): { path: string; message: string }[] {
  let [steps, width, written] = [0, 0, 0];
  return definitions.flatMap(({ pattern, type }, index) => {
    if (pattern === undefined || type !== 'text') return [];
    const issue = (message: string) => [{ path: `customFields.${index}.pattern`, message }];
    const tooComplex = 'The patterns are too complex. Use smaller counts in {…} and smaller ranges.';
    width += widthOf(pattern);
    written += stepsAtMost(pattern);
    // Compiling takes time too, so the rest is not compiled.
    if (steps > maxFormSteps || width > maxFormWidth || written > maxWrittenSteps) return issue(tooComplex);
    const compiled = compile(pattern);
    if (!compiled) return issue('This is not a valid RE2 regular expression.');
    steps += compiled.steps;
    return compiled.steps > maxSteps || steps > maxFormSteps ? issue(tooComplex) : [];
  });
}
