import { connect } from 'node:net';
import fc from 'fast-check';
import { expect, test } from '../fixtures';

/** What proxies take of a status line and header, if they are set up as they come. */
const taken = 4_096;

/** The status line and header of an answer, as they come over the wire. */
function readHead(url: URL, lines: readonly string[], body = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(url.port), url.hostname);
    let text = '';
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`no answer: ${text}`)));
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) return;
      resolve(text.slice(0, end + 4));
      socket.destroy();
    });
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1');
  });
}

const paths = [
  ...['/', '/tournaments', '/tournaments/none/entrants', '/tournaments/none/matches/007', '/embed/tournaments/none'],
  ...['/sign-in', '/settings', '/docs', '/docs/api', '/none', '/api/auth/none', '/api/auth/session'],
  ...[
    '/api/auth/signin',
    '/api/auth/signin/discord',
    '/api/auth/signout',
    '/api/v1/none',
    '/api/trpc/none',
    '/healthz',
  ],
];
const places = ['/', '/?x=', '?x=', '?next=/', '?callbackUrl=/', '/?callbackUrl=/', '?error=', '//'];
const part = fc.constantFrom('a', '/', '"', "'", '%22', '%2522', '%C3%A9', '%', '\xe9', '~', '=', '&x=');
const tail = fc
  .tuple(fc.array(part, { minLength: 1, maxLength: 3 }), fc.integer({ min: 1, max: 4_000 }))
  .map(([parts, length]) => parts.join('').repeat(length).slice(0, length));
const kinds = [
  [],
  ['RSC: 1'],
  ['RSC: 1', 'Next-Router-Prefetch: 1'],
  [`Cookie: ${Array.from({ length: 30 }, (_, at) => `next-auth.session-token.${at}${'x'.repeat(100)}=y`).join('; ')}`],
  [`X-Request-Id: ${'x'.repeat(8_000)}`],
  [`Origin: ${'x'.repeat(8_000)}`],
  [`X-Forwarded-Host: ${'x'.repeat(500)}`],
];

test('whatever a caller sends, no answer has a header that a proxy would not take', async ({ baseURL }) => {
  const url = new URL(baseURL ?? '');
  const address = fc.tuple(fc.constantFrom(...paths), fc.constantFrom(...places), tail).map((parts) => parts.join(''));
  const method = fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'PUT');
  await fc.assert(
    fc.asyncProperty(method, address, fc.constantFrom(...kinds), async (verb, target, lines) => {
      const head = await readHead(url, [`${verb} ${target} HTTP/1.1`, `Host: ${url.host}`, ...lines]);
      expect(head.length, head).toBeLessThan(taken);
    }),
    { numRuns: 400 },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('signin', 'signout', 'signin/discord', 'callback/credentials'),
      tail,
      async (action, text) => {
        const form = new URLSearchParams({ callbackUrl: `/${text}`, csrfToken: text }).toString().slice(0, 8_000);
        const lines = ['Content-Type: application/x-www-form-urlencoded', `Content-Length: ${form.length}`];
        const head = await readHead(url, [`POST /api/auth/${action} HTTP/1.1`, `Host: ${url.host}`, ...lines], form);
        expect(head.length, head).toBeLessThan(taken);
      },
    ),
    { numRuns: 100 },
  );
});
