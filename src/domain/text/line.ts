import { z } from 'zod';

/**
 * Control characters, and others that break lines; what turns the direction of the text around it; and what has no width, by
 * which a name could pass for another one. Joiners stay, because scripts and emoji need them.
 */
const hiddenCharacters =
  /[\p{Cc}\u00AD\u061C\u180E\u2028-\u202E\u2066-\u206F\u200B\u2060-\u2064\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/u;
/** The flags of England, Scotland and Wales: a flag with invisible tags, which no other emoji has. */
const flagsWithTags =
  /\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}/gu;
const hides = (text: string) => hiddenCharacters.test(text.replace(flagsWithTags, ''));
/** A visible character: not a space, joiner, filler or combining mark. */
const visibleCharacter = /[^\p{Z}\p{C}\p{M}\u115F\u1160\u2800\u3164\uFFA0\u{1D159}]/u;

/**
 * How much longer a line may be where it is compared: one character can stand for eighteen, such as a whole phrase in Arabic, and
 * thousands of names are compared at once.
 */
const maxExpansion = 2;

/**
 * A line of text that others read, such as a name.
 * @param options.max in characters
 * @param options.empty what is asked for when there is none
 */
export function lineField({ max, empty = 'Enter a name.' }: { max: number; empty?: string }) {
  return optionalLineField(max).min(1, empty);
}

/** The same where the text may be empty. */
export function optionalLineField(max: number) {
  return z
    .string()
    .trim()
    .max(max, `Use at most ${max} characters.`)
    .refine((value) => !hides(value), {
      error: 'Control characters and invisible characters are not allowed.',
      // One reason is enough.
      abort: true,
    })
    .refine(
      (value) => value.length > max || value.normalize('NFKC').length <= max * maxExpansion,
      'Some of these characters stand for several others. Write them out.',
    )
    .refine((value) => value === '' || visibleCharacter.test(value), 'Use visible characters.');
}

/** Whether a text, of one line or several, has characters other than line breaks and tabs that show it as something else. */
export function hasHiddenCharacters(text: string): boolean {
  return hides(text.replace(/[\t\n\r\u2028\u2029]/g, ''));
}
