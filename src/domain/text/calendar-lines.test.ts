import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { fold } from '@/domain/text/calendar-lines';

/** The definition: a character at a time, each measured by itself. */
function foldByMeasuring(line: string): string {
  if (Buffer.byteLength(line) <= 74) return line;
  const parts: string[] = [];
  let part = '';
  for (const character of line) {
    if (Buffer.byteLength(part + character) > 74) {
      parts.push(part);
      part = ' ';
    }
    part += character;
  }
  return [...parts, part].join('\r\n');
}

test('breaks lines before the character that would be too much, whatever its size in UTF-8', () => {
  const character = fc.constantFrom(
    'a',
    ' ',
    ',',
    'Ä',
    'é',
    '\u0301',
    '漢',
    '字',
    '한',
    '\u{1f3c6}',
    '\u{1f469}\u200d\u{1f467}',
  );
  const line = fc.array(character, { maxLength: 200 }).map((characters) => characters.join(''));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 5 }), (lines) => {
      expect(fold(lines.join('\r\n'))).toBe(lines.map(foldByMeasuring).join('\r\n'));
    }),
  );
  for (const length of [72, 73, 74, 75, 76, 147, 148, 149]) {
    for (const last of ['a', 'Ä', '漢', '\u{1f3c6}']) {
      const whole = 'x'.repeat(length - 1) + last;
      expect(fold(whole)).toBe(foldByMeasuring(whole));
    }
  }
});

test('encodes no character by itself', () => {
  const line = `SUMMARY:${'\u{1f3c6}'.repeat(5_000)}`;
  const measure = vi.spyOn(Buffer, 'byteLength');
  const folded = fold(line);
  const measured = measure.mock.calls.length;
  measure.mockRestore();
  expect(folded.split('\r\n').length).toBeGreaterThan(250);
  expect(measured).toBeLessThanOrEqual(1);
});
