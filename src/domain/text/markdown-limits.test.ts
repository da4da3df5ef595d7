import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isCheapMarkdown } from '@/domain/text/markdown-limits';

test('ordinary Markdown is cheap', () => {
  const rules = ['# Rules', '', '1. Be **on time**.', '   - `!ready`', '', '> [Site](https://a.test)', '', '| a | b |'];
  expect(isCheapMarkdown('')).toBe(true);
  expect(isCheapMarkdown(rules.join('\n'))).toBe(true);
  expect(isCheapMarkdown(`${rules.join('\n')}\n\n`.repeat(60))).toBe(true);
  for (const name of readdirSync('docs').filter((file) => file.endsWith('.md'))) {
    expect([name, isCheapMarkdown(readFileSync(`docs/${name}`, 'utf8'))]).toEqual([name, true]);
  }
});

test('links in paragraphs and lists of their own are cheap', () => {
  const link = '[a team](https://a.test/teams/1)';
  expect(isCheapMarkdown(`${'- '}${link} and what is said about it\n`.repeat(450))).toBe(true);
  expect(
    isCheapMarkdown(`${link} and what is said about it, at length, in a paragraph of its own.\n\n`.repeat(400)),
  ).toBe(true);
  expect(isCheapMarkdown(`${link} `.repeat(200))).toBe(true);
});

test('a line with bars costs only its own table', () => {
  const table = `${'|a'.repeat(20)}|\n${'|-'.repeat(20)}|\n${`${'|b'.repeat(20)}|\n`.repeat(100)}`;
  expect(isCheapMarkdown(`${'A line of the rules.\n\n'.repeat(900)}${table}`)).toBe(true);
  expect(isCheapMarkdown(`${table}\n`.repeat(3))).toBe(false);
});

test.each([
  ['lists in lists', `${'- '.repeat(9_000)}a`],
  ['numbered lists in lists', `${'1. '.repeat(9_000)}a`],
  ['quotes in quotes', '>'.repeat(50_000)],
  ['brackets', ']'.repeat(50_000)],
  ['brackets that nothing closes', `${'['.repeat(1_400)}${'%'.repeat(40_000)}`],
  [
    'the same in numbered lines, which do not end a paragraph',
    `${'['.repeat(1_400)}${`\n2. ${'%'.repeat(100)}`.repeat(300)}`,
  ],
  ['emphasis in emphasis', `${'*a '.repeat(9_000)}${'b* '.repeat(9_000)}`],
  ['a wide table of short lines', `${'|a'.repeat(2_000)}\n${'|-'.repeat(2_000)}\n${'|a\n'.repeat(1_000)}`],
  ['headings', '# a\n'.repeat(501)],
  ['lines upon lines', 'a\n=\n'.repeat(12_000)],
  ['addresses', 'https://a.test/ '.repeat(1_100)],
  ['tables', '|a|b|c|\n|-|-|-|\n|d|e|f|\n\n'.repeat(660)],
  ['lists by tabs', `${Array.from({ length: 40 }, (_, depth) => `${'\t'.repeat(depth)}- a`).join('\n')}`],
])('%s are not cheap', (_what, text) => {
  expect(isCheapMarkdown(text)).toBe(false);
});
