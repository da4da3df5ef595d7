import { expect, test } from 'vitest';
import { webAddress } from './web-address';

test.each([
  ['https://example.test/me?a=b#c', 'https://example.test/me?a=b#c'],
  ['HTTP://Example.test', 'http://example.test/'],
  ['https://b\u00FCcher.test/', 'https://xn--bcher-kva.test/'],
  ['https://example.test/\u202Eemit/\u200B', 'https://example.test/%E2%80%AEemit/%E2%80%8B'],
  ['https://steam.test@example.test/', null],
  ['https://\u202E@example.test/moc.maets', null],
  ['https://:secret@example.test/', null],
  ['javascript:alert(1)', null],
  ['example.test', null],
])('%j is shown as %j', (text, shown) => {
  expect(webAddress(text)).toBe(shown);
});
