import { expect, test } from 'vitest';
import { costOf } from '@/test/processor';
import { plainExcerpt } from './excerpt';

test('an excerpt is the beginning without markup', () => {
  const text = '# Cup\n\n- **Prizes** for [all](https://example.com)\n1. Be on time\n\n```\ncode\n```\nBye';
  expect(plainExcerpt(text)).toBe('Cup Prizes for all Be on time Bye');
  expect(plainExcerpt('word '.repeat(4_000), 20)).toBe('word word word word…');
});

test.each(['[', '[](', '\n', '\n\t', '```a', '1'])('an excerpt of a long text of %j takes a moment', (part) => {
  const text = part.repeat(20_000 / part.length);
  expect(costOf(() => plainExcerpt(text))).toBeLessThan(30);
});
