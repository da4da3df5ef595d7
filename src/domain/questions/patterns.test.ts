import fc from 'fast-check';
import { RE2JS } from 're2js';
import { expect, test, vi } from 'vitest';
import { question } from '@/test/questions';
import { stepsAtMost } from './pattern-size';
import { patternIssues, readPattern } from './patterns';

const issuesOf = (...patterns: string[]) =>
  patternIssues(patterns.map((pattern, at) => question({ key: `q${at}`, pattern }))).map(({ message }) => message);

const tooComplex = 'The patterns are too complex. Use smaller counts in {…} and smaller ranges.';

test.each([
  `(${'()'.repeat(47)}){0,999}(${'()'.repeat(40)}){0,999}`,
  '(){0,999}'.repeat(22),
  'a{0,1000}'.repeat(22),
  '(?:(?:(?:ab|cd){10}){10}){10}',
  // What looks like the end of a class is a range here, and what follows is no class.
  '[!-[:alpha:](()()){999}]?',
])('%s is refused without being compiled', (pattern) => {
  const compile = vi.spyOn(RE2JS, 'compile');
  try {
    expect(issuesOf(pattern)).toEqual([tooComplex]);
    expect(readPattern(pattern)).toBeNull();
    expect(compile).not.toHaveBeenCalled();
  } finally {
    compile.mockRestore();
  }
});

test('patterns that are long only by their text are not all compiled', () => {
  const compile = vi.spyOn(RE2JS, 'compile');
  try {
    // It matches nothing, and is compiled to nothing.
    const nothing = String.raw`a{0,450}[^\s\S]`;
    expect(issuesOf(...Array.from({ length: 30 }, () => nothing))).toHaveLength(28);
    expect(compile).toHaveBeenCalledTimes(2);
  } finally {
    compile.mockRestore();
  }
});

test.each([
  String.raw`[A-Za-z0-9]{3,16}#\d{3,5}`,
  String.raw`STEAM_[0-5]:[01]:\d{1,10}`,
  String.raw`(?i)[a-z0-9._%+-]{1,30}@(?:[a-z0-9-]{1,10}\.){1,3}[a-z]{2,6}`,
  String.raw`\+?(?:\d{1,3}[ -]?)?\(?\d{2,4}\)?(?:[ -]?\d{2,4}){1,4}`,
  '(?:iron|bronze|silver|gold|platinum|diamond|master|challenger)(?: (?:I|II|III|IV))?',
  String.raw`\Qa{9}(b){99}\E[[:alpha:]{99}]{2,9}\p{Greek}?\x{41}{3}`,
  '(?:a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q|r|s|t|u|v|w|x|y|z){190}',
  '(?:abc|abd|abe|abf|abg|abh|abi|abj|abk){50}',
])('%s is accepted', (pattern) => {
  expect(issuesOf(pattern)).toEqual([]);
  expect(readPattern(pattern)).not.toBeNull();
});

/** How many steps it is compiled to; null when it is not valid. */
function compiledSteps(pattern: string): number | null {
  try {
    return RE2JS.compile(pattern).programSize();
  } catch {
    return null;
  }
}

const pieces = [
  ...['(', '(', '(?:', '(?i:', '(?i)', '(?P<n>', ')', ')', ')', '|', '|', '()', '(?:)', '(a|b)'],
  ...['*', '+', '?', '{2}', '{9}', '{0}', '{0,30}', '{3,}', '{00}', '{,3}', '{', '}', 'x{5}'],
  ...['[', ']', '[^', '[a-z]', '[:alpha:]', '[:', ':]', '-', '!', '\\]', '\\', '\\Q', '\\E'],
  ...[
    'a',
    'b',
    'abc',
    'k',
    'ß',
    '\u{1f600}',
    '0',
    ',',
    ':',
    '.',
    '^',
    '$',
    '\\b',
    '\\d',
    '\\pL',
    '\\p{Greek}',
    '\\x41',
    '\\x{41}',
  ],
];

test('a pattern is never compiled to more steps than its text has', () => {
  const pattern = fc.array(fc.constantFrom(...pieces), { maxLength: 20 }).map((all) => all.join(''));
  fc.assert(
    fc.property(pattern, (text) => {
      const most = stepsAtMost(text);
      if (most > 5_000) return;
      expect(compiledSteps(text) ?? 0).toBeLessThanOrEqual(most);
    }),
    { numRuns: 1_000 },
  );
});

test('the text of a pattern has at most ten times as many steps, unless alternatives begin alike', () => {
  const characters = ['a', 'Z', '7', '-', '#', '[a-z]', '[^ ,]', '[[:alnum:]_]', '\\d', '\\w', '\\.', '\\pL', '.'];
  const oneOf = fc
    .uniqueArray(fc.constantFrom(...characters, 'EU', 'NA', 'kr-', 'br+'), {
      minLength: 1,
      maxLength: 6,
      selector: ([first]) => first,
    })
    .map((all) => `(?:${all.join('|')})`);
  const count = fc.constantFrom('', '', '', '?', '+', '*', '{3}', '{2,4}', '{1,16}', '{20}', '{3,}', '{0,40}');
  const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
    pattern: fc.array(fc.tuple(tie('part'), count), { minLength: 1, maxLength: 4 }).map((all) => all.flat().join('')),
    part: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(...characters, 'EU', 'abc'),
      oneOf,
      tie('pattern').map((inner) => `(${inner})`),
      tie('pattern').map((inner) => `(?:${inner})`),
    ),
  }));
  fc.assert(
    fc.property(pattern, (text) => {
      const most = stepsAtMost(text);
      if (most > 5_000) return;
      expect(most).toBeLessThanOrEqual(10 * (compiledSteps(text) ?? most));
    }),
    { numRuns: 300 },
  );
});
