import { RE2JS, RE2JSSyntaxException } from 're2js';
import type { CustomFieldDefinition } from '@/domain/tournaments/settings';

/** Steps that a pattern may take at each character of an answer: time is linear in the answer, times these. */
const mostSteps = 1_000;
/** Steps that all patterns of one form may take together. */
const mostStepsOfForm = 3_000;

type Pattern = { steps: number; fits: (text: string) => boolean };

function compile(pattern: string): Pattern | null {
  try {
    const expression = RE2JS.compile(pattern);
    return { steps: expression.programSize(), fits: (text) => expression.matches(text) };
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return null;
    throw error;
  }
}

/** Reads a pattern of RE2, which takes linear time, whoever wrote it; null when it is none or repeats too much. */
export function readPattern(pattern: string): { fits: (text: string) => boolean } | null {
  const read = compile(pattern);
  return read && read.steps <= mostSteps ? read : null;
}

/** Patterns that RE2 cannot read or that repeat too much, alone or together; empty when there are none. */
export function patternIssues(definitions: CustomFieldDefinition[]): { path: string; message: string }[] {
  let steps = 0;
  return definitions.flatMap(({ pattern, type }, index) => {
    if (pattern === undefined || type !== 'text') return [];
    const issue = (message: string) => [{ path: `customFields.${index}.pattern`, message }];
    const tooMuch = 'The patterns repeat too much to be checked in time. Use smaller counts in {…}.';
    // Reading takes time too: what comes after is not read any more.
    if (steps > mostStepsOfForm) return issue(tooMuch);
    const read = compile(pattern);
    if (!read) return issue('This is not a regular expression that RE2 reads.');
    steps += read.steps;
    return read.steps > mostSteps || steps > mostStepsOfForm ? issue(tooMuch) : [];
  });
}
