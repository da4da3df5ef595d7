import { Agent, request } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { stopLive } from '@/server/events/live';
import { startServer } from '@/server/http/server';
import { makeProject, makeTournament, makeUser } from '@/test/factories';
import { startTestServer } from '@/test/server';

afterAll(stopLive);

test('a subscription over HTTP hears what happens through another server, and ends when the server stops', async () => {
  const [one, two] = [await startTestServer(), await startTestServer()];
  const { project, owner } = await makeProject();
  const { id } = await makeTournament(project.id);
  const heard: unknown[] = [];
  let begun: () => void = () => undefined;
  const started = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const subscription = one
    .trpc()
    .tournaments.live.subscribe({ tournamentId: id }, { onStarted: begun, onData: (data) => heard.push(data) });
  await started;
  const before = heard.length;
  const player = await makeUser();
  await two.post(`/tournaments/${id}/participants/register`, { bearer: player.bearer });
  await expect.poll(() => heard.length, { timeout: 3_000 }).toBeGreaterThan(before);
  expect((await two.get(`/tournaments/${id}`, { bearer: owner.bearer })).status).toBe(200);

  const begin = Date.now();
  await one.stop();
  expect(Date.now() - begin).toBeLessThan(2_000);
  subscription.unsubscribe();
  await two.stop();
});

test('a stop lets the request under way finish and takes no new one', async () => {
  const server = await startServer({ port: 0, host: '127.0.0.1', withNext: false });
  const agent = new Agent({ keepAlive: true });
  const answered = new Promise<number>((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
    const call = request(`${server.url}/api/v1/auth/token`, { method: 'POST', headers, agent }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    call.on('error', reject);
    call.write('{"email":');
    setTimeout(() => call.end('"nobody@players.test","password":"x"}'), 300);
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  const stopped = server.stop();
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
  expect(await answered).toBe(401);
  await stopped;
  agent.destroy();
});

test('a port that is taken is an error, not a silence', async () => {
  const first = await startServer({ port: 0, host: '127.0.0.1', withNext: false });
  await expect(startServer({ port: first.port, host: '127.0.0.1', withNext: false })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
  await first.stop();
});

test('no way of writing a path leads past what stands before it', async () => {
  const server = await startServer({ port: 0, host: '127.0.0.1', withNext: false });
  const status = (path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const call = request({ host: '127.0.0.1', port: server.port, path, agent: false }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      call.on('error', reject).end();
    });
  for (const path of ['/./api', '/x/../api', '/api/.', '/x/%2e%2E/api', '/x\\..\\api', `${server.url}/./api`]) {
    expect([path, await status(`${path}/trpc/auth.providers?a=/../b`)]).toEqual([path, 200]);
  }
  expect(await status('/api/trpc/auth.providers/..')).toBe(404);
  expect(await status('/x?to=/../api/trpc/auth.providers')).toBe(404);
  await server.stop();
});
