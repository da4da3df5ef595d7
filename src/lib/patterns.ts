import { RE2JS, RE2JSSyntaxException } from 're2js';
import type { CustomFieldDefinition } from '@/lib/tournament-forms';

/** Reads a pattern of RE2, which takes linear time, whoever wrote it; null when it is none. */
export function readPattern(pattern: string): { fits: (text: string) => boolean } | null {
  try {
    const expression = RE2JS.compile(pattern);
    return { fits: (text) => expression.matches(text) };
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return null;
    throw error;
  }
}

/** Patterns that RE2 cannot read; empty when it reads all of them. */
export function patternIssues(definitions: CustomFieldDefinition[]): { path: string; message: string }[] {
  return definitions.flatMap(({ pattern, type }, index) =>
    pattern === undefined || type !== 'text' || readPattern(pattern)
      ? []
      : [{ path: `customFields.${index}.pattern`, message: 'This is not a regular expression that RE2 reads.' }],
  );
}
