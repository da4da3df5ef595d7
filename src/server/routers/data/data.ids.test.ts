import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { makeApiKey, makeProject, makeTournament } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();

/** Every path of the data API that has an id. */
const paths = (id: string) => [
  `/data/tournaments/${id}`,
  `/data/tournaments/${id}?status=DRAFT`,
  `/data/tournaments/${id}/bracket`,
  `/data/tournaments/${id}/matches`,
  `/data/matches/${id}`,
  `/data/matches/${id}/events`,
  `/data/players/${id}/stats?gameId=cs2`,
  `/data/teams/${id}`,
];

/** As they stand in the path. */
const oddIds = {
  'a NUL character': '%00',
  'a NUL character in an id': `trn_${'0'.repeat(12)}%00${'0'.repeat(13)}`,
  'a NUL character in a slug': 'winter%00cup',
  'a NUL character, encoded twice': '%2500',
  'half of a surrogate pair': '%ED%A0%80',
  'bytes that are not UTF-8': '%FF%FE',
  'an emoji': '%F0%9F%8F%86',
  'a quote': "'",
  'an encoded quote': '%27%20OR%201=1--',
  'a double quote': '%22',
  'a backslash': '%5C',
  'braces of an array': '{},{NULL}',
  'a slash': '..%2F..%2Fprojects',
  'a lone percent sign': '%',
  'a space': '%20',
  'many characters': 'x'.repeat(8_000),
  'an id of many characters': `trn_${'0'.repeat(8_000)}`,
  'many NUL characters': '%00'.repeat(2_000),
};

async function enterprise() {
  const { project } = await makeProject({ plan: 'enterprise' });
  return { project, apiKey: (await makeApiKey(project.id)).key };
}

test.each(Object.entries(oddIds))('%s finds nothing and fails no read beside it', async (_name, oddId) => {
  const { project, apiKey } = await enterprise();
  const { id, slug } = await makeTournament(project.id);
  const good = [`/data/tournaments/${id}`, `/data/tournaments/${slug}`];
  // All arrive together, so that the good ones share their statements with the odd ones.
  const calls = paths(oddId).flatMap((odd) => [...good, odd, ...good]);
  const responses = await Promise.all(calls.map((path) => api.get<{ data: unknown }>(path, { apiKey })));
  for (const [at, { status, body, reason }] of responses.entries()) {
    const path = calls[at] ?? '';
    if (good.includes(path)) {
      expect([path, status]).toEqual([path, 200]);
      expect(body.data).toMatchObject({ id, slug });
    } else expect([path, status, reason]).toEqual([path, 404, 'NOT_FOUND']);
  }
});

/** Sends a request target byte by byte, as no client would, and returns the status of the response. */
async function statusOf(target: Buffer, apiKey: string): Promise<number> {
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  const lines = ` HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-API-Key: ${apiKey}\r\n\r\n`;
  socket.write(Buffer.concat([Buffer.from('GET '), target, Buffer.from(lines)]));
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(socket, 'close');
  return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
}

test('raw bytes in the path are refused or find nothing, and fail no read beside them', async () => {
  const { project, apiKey } = await enterprise();
  const { id } = await makeTournament(project.id);
  const raw = ['\0', 'winter\0cup', '\u{1f3c6}', `trn_\0`, '\ud800'];
  const responses = await Promise.all(
    raw.flatMap((text) => [
      api.get(`/data/tournaments/${id}`, { apiKey }).then(({ status }) => ['good', status]),
      statusOf(Buffer.from(`/api/v1/data/tournaments/${text}`), apiKey).then((status) => ['odd', status]),
      statusOf(Buffer.from(`/api/v1/data/tournaments/${text}`, 'latin1'), apiKey).then((status) => ['odd', status]),
    ]),
  );
  for (const [kind, status] of responses) expect(kind === 'good' ? [200] : [400, 404]).toContain(status);
});

test('a NUL character in the query is refused, and fails no read beside it', async () => {
  const { project, apiKey } = await enterprise();
  const { id } = await makeTournament(project.id);
  const path = `/data/tournaments/${id}`;
  const odd = [`${path}?status=%00`, `${path}/matches?gameId=%00`, `${path}/matches?stageId=a%00b`];
  const [good, ...refused] = await Promise.all([path, ...odd].map((each) => api.get(each, { apiKey })));
  expect(good?.status).toBe(200);
  expect(refused.map(({ status, reason }) => [status, reason])).toEqual(odd.map(() => [400, 'VALIDATION_FAILED']));
});
