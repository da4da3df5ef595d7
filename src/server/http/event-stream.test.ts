import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { newId } from '@/domain/ids';
import { closing } from '@/server/http/exchange';
import { handleTrpcFetch } from '@/server/http/trpc/handler';
import { makeProject, makeTournament } from '@/test/factories';
import { follow } from '@/test/live';
import { setupTestServer } from '@/test/server';
import { sendEvents } from './event-stream';

const api = setupTestServer();

/** A server whose only response is what this yields. */
async function serve(events: (ended: AbortSignal) => AsyncIterable<unknown>, pingMs = 60_000): Promise<string> {
  const server = createServer((_, res) => {
    const ended = closing(res);
    void sendEvents(res, {
      headers: { 'X-Own': 'yes' },
      pingMs,
      reconnectAfterInactivityMs: 40_000,
      ended,
      open: async () => events(ended),
      toJson: JSON.stringify,
      describe: (error) => JSON.stringify({ why: error instanceof Error ? error.message : null }),
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a stream says that it is open, then each event, and how it ended', async () => {
  const complete = await serve(async function* () {
    yield { text: 'a\nb' };
    yield 2;
  });
  const response = await fetch(complete);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store, no-transform',
    'x-own': 'yes',
  });
  const connected = 'event: connected\ndata: {"reconnectAfterInactivityMs":40000}\n\n';
  expect(await response.text()).toBe(`${connected}data: {"text":"a\\nb"}\n\ndata: 2\n\nevent: return\ndata: \n\n`);
  const failing = await serve(async function* () {
    yield 1;
    throw new Error('over');
  });
  const text = await (await fetch(failing)).text();
  expect(text).toBe(`${connected}data: 1\n\nevent: serialized-error\ndata: {"why":"over"}\n\n`);
});

test('while nothing happens, a stream says that it is still there', async () => {
  const url = await serve(async function* (ended) {
    yield 1;
    await once(ended, 'abort');
  }, 5);
  await (await follow(url)).until('event: ping\ndata: \n\nevent: ping');
});

test('who does not read is asked for nothing more, and who goes ends what they followed', async () => {
  let made = 0;
  let ended = false;
  const url = await serve(async function* () {
    try {
      for (;;) {
        made += 1;
        yield 'x'.repeat(1_000_000);
      }
    } finally {
      ended = true;
    }
  });
  const socket = connect(Number(new URL(url).port), '127.0.0.1').pause();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await expect.poll(() => made).toBeGreaterThan(0);
  let before = 0;
  const standsStill = () => {
    const isSame = made === before;
    before = made;
    return isSame;
  };
  // The operating system takes some of it over first.
  await expect.poll(standsStill, { interval: 300, timeout: 10_000 }).toBe(true);
  expect(made).toBeLessThan(30);
  expect(ended).toBe(false);
  socket.destroy();
  await expect.poll(() => ended).toBe(true);
});

test('a subscription says what tRPC itself would say', async () => {
  const { project } = await makeProject();
  const { id } = await makeTournament(project.id);
  const inputs = [{ tournamentId: id }, { tournamentId: newId('trn') }, { tournamentId: 7 }, {}];
  for (const input of inputs) {
    const url = `${api.url}/api/trpc/tournaments.live?input=${encodeURIComponent(JSON.stringify({ json: input }))}`;
    const end = 'tournamentId' in input && input.tournamentId === id ? 'live.resumed' : 'serialized-error';
    const ours = await follow(url);
    await ours.until(end);
    const { body } = await handleTrpcFetch(new Request(url, { headers: { accept: 'text/event-stream' } }));
    let theirs = '';
    const decoder = new TextDecoder();
    for await (const chunk of body ?? []) {
      theirs += decoder.decode(chunk, { stream: true });
      if (theirs.includes(end) && theirs.endsWith('\n\n')) break;
    }
    const words = (text: string) =>
      text
        .replace(/req_\w+/g, 'req')
        .replace(/\n+/g, '\n')
        .trim();
    expect(words(ours.text())).toBe(words(theirs));
    ours.end();
  }
});
