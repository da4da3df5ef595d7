import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Credential, credentialEchoes, redactEchoes } from '@/server/delivery/request/credentials';
import { costOf } from '@/test/processor';

const token = 'SECRET/TOKEN+42=&"x';
const stored = (body: string, credential: Credential = { token }) =>
  redactEchoes({ body }, credentialEchoes(credential)).body;
const hex = (code: number, length = 2) => code.toString(16).padStart(length, '0');
const each = (text: string, write: (code: number) => string) =>
  [...text].map((character) => write(character.codePointAt(0) ?? 0)).join('');

describe('an echoed credential is not stored', () => {
  it.each([
    ['as it is', token],
    ['in lower case', token.toLowerCase()],
    ['in JSON', JSON.stringify(token).slice(1, -1)],
    ['in JSON with escaped slashes', JSON.stringify(token).slice(1, -1).replaceAll('/', '\\/')],
    ['in JSON by numbers', each(token, (code) => `\\u${hex(code, 4)}`)],
    ['in JavaScript', each(token, (code) => (code % 2 ? `\\u${hex(code, 4)}` : String.fromCodePoint(code)))],
    ['in JSON within JSON', JSON.stringify(JSON.stringify({ token }).replaceAll('/', '\\/'))],
    ['in a URL', encodeURIComponent(token)],
    ['in a URL, every character', each(token, (code) => `%${hex(code)}`)],
    ['in a URL within a URL', encodeURIComponent(encodeURIComponent(token))],
    [
      'in HTML',
      token.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('/', '&#x2F;').replaceAll('=', '&#61;'),
    ],
    ['in HTML by numbers', each(token, (code) => `&#${code};`)],
    ['in base64', Buffer.from(`{"authorization":"Bearer ${token}"}`).toString('base64')],
    ['in base64, one further', Buffer.from(` {"authorization":"Bearer ${token}"}`).toString('base64')],
    ['in base64 for URLs', Buffer.from(`  {"authorization":"Bearer ${token}"}`).toString('base64url')],
    ['in hex', Buffer.from(token).toString('hex').toUpperCase()],
  ])('%s', (_how, echo) => {
    const body = `{"got":"Bearer ${echo}","left":"alone"}`;
    const kept = stored(body);
    expect(kept).toContain('[redacted]');
    expect(kept.startsWith('{"got":"')).toBe(true);
    expect(kept.endsWith('","left":"alone"}')).toBe(true);
    expect(Buffer.byteLength(kept)).toBeLessThan(100);
    for (const part of ['SECRET', 'secret', 'TOKEN', hex(0x53) + hex(0x45) + hex(0x43)])
      expect(kept).not.toContain(part);
  });

  it('nor a password, its pair, or the value of a header, and not in names of headers', () => {
    const basic = { username: 'ada', password: 'pass:wörd"' };
    const pair = Buffer.from('ada:pass:wörd"').toString('base64');
    expect(stored(`a ${pair} b`, basic)).toBe('a [redacted] b');
    expect(stored('{"user":"ada:pass:w\\u00F6rd\\""}', basic)).toBe('{"user":"[redacted]"}');
    expect(stored('?key=k3y+va%6Cue', { headerName: 'X-Key', headerValue: 'k3y value' })).toBe('?key=[redacted]');
    const headers = { 'x-secret-token': ['1', 'SECRET-TOKEN'] };
    expect(redactEchoes(headers, credentialEchoes({ token: 'SECRET-TOKEN' }))).toEqual({
      'x-[redacted]': ['1', '[redacted]'],
    });
  });

  it('nor what is left of one where the response was cut off', () => {
    expect(stored(`said ${token.slice(0, 9)}`)).toBe('said [redacted]');
    expect(stored(`said ${token.slice(0, 4)}`)).toBe('said SECR');
  });

  it('while everything else stays as it was', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        fc.pre(!/[&%\\]/.test(before.at(-1) ?? '') && !/[%#&\\]/.test(before + after));
        const kept = stored(`${before} ${token} ${after}`);
        expect(kept).toBe(`${before} [redacted] ${after}`);
      }),
    );
    const plain = '{"a":"\\/ %2F &amp; \\u0041"}';
    expect(stored(plain)).toBe(plain);
  });

  it('at a bounded cost, whatever response and credential consist of', () => {
    const tokens = ['a'.repeat(4_096), `${'a'.repeat(100)}b${'a'.repeat(3_995)}`];
    const responses = [
      'a'.repeat(16_384),
      `${'a'.repeat(16_300)}-%252525`,
      `${'a'.repeat(4_095)}b`.repeat(4),
      '%61'.repeat(5_461),
      '\\'.repeat(16_384),
      '&#'.repeat(8_192),
      { x: Array.from({ length: 3_000 }, () => '') },
      Object.fromEntries(Array.from({ length: 1_100 }, (_, index) => [`x${index}`, 'aaaaaa'])),
    ];
    for (const token of tokens) {
      const echoes = credentialEchoes({ token });
      for (const response of responses) {
        expect(costOf(() => redactEchoes(response, echoes))).toBeLessThan(100);
      }
    }
  });
});
