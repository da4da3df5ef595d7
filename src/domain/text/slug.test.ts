import fc from 'fast-check';
import { expect, test } from 'vitest';
import { slugField } from '@/domain/projects/forms';
import { pageSlugs, slugify } from './slug';

const rules = { maxLength: 60, fallback: 'tournament' };

test.each([
  ['Winter Cup 2026', 'winter-cup-2026'],
  ['  Überfall – Füchse! ', 'uberfall-fuchse'],
  ['大会', 'tournament'],
  ['A', 'tournament-a'],
  ['--', 'tournament'],
])('%s becomes %s', (name, slug) => {
  expect(slugify(name, rules)).toBe(slug);
});

test('the address of a page is no slug, and begins one', () => {
  const pages = pageSlugs;
  expect(['New', ' new! ', 'New Cup', 'Newer'].map((name) => slugify(name, { ...rules, pages }))).toEqual([
    ...['tournament-new', 'tournament-new', 'new-cup', 'newer'],
  ]);
  expect(slugify('New', rules)).toBe('new');
  expect(slugField.safeParse('new').success).toBe(false);
  expect(slugField.safeParse('newer').success).toBe(true);
});

test('with a fallback, every name gives a valid slug', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 150 }), (name) => {
      expect(slugify(name, rules)).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(slugify(name, rules).length).toBeLessThanOrEqual(71);
      expect(slugify(name, rules).length).toBeGreaterThanOrEqual(3);
    }),
  );
});

test('without a fallback, a slug of three characters or more is one that forms accept', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (name) => {
      const slug = slugify(name, { maxLength: 40 });
      if (slug.length >= 3) expect(slugField.safeParse(slug).success).toBe(true);
      expect(slug).toMatch(/^[a-z0-9-]*$/);
    }),
  );
  expect(slugify('  Café Größe: Cup #3 ', { maxLength: 40 })).toBe('cafe-gro-e-cup-3');
  expect(slugify('大会', { maxLength: 40 })).toBe('');
});
