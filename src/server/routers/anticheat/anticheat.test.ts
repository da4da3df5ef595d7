import '@/test/store';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { copyFile, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sessionSample } from '@/domain/api-reference/anti-cheat-sample';
import { env } from '@/env';
import { functions } from '@/inngest/index';
import { db } from '@/server/db';
import { confirmUpload } from '@/server/storage/media';
import { type Background, startBackground } from '@/test/background';
import { makeSubscription } from '@/test/factories';
import { openReceiver } from '@/test/queue';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';
import { evaluate, setupAntiCheat } from './anticheat.fixture';

const server = setupTestServer();
const client = path.resolve('examples/anti-cheat-client/client.mjs');
const started: ChildProcess[] = [];
let background: Background;

beforeAll(async () => {
  background = await startBackground({ functions: functions.filter((fn) => fn.id().startsWith('webhook')) });
});

afterAll(async () => {
  for (const child of started) child.kill();
  await background.stop();
});

/** A Node.js program, with what it has printed so far and how it ended. */
function start(args: string[], cwd: string, variables: Record<string, string> = {}) {
  const child = spawn(process.execPath, args, { cwd, env: { ...process.env, ...variables } });
  started.push(child);
  const program = { child, output: '', code: undefined as number | null | undefined };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (program.output += String(data)));
  child.once('exit', (code) => (program.code = code));
  return program;
}

async function runToEnd(args: string[], cwd: string): Promise<string> {
  const program = start(args, cwd);
  await until(() => program.code !== undefined);
  expect(program.code, program.output).toBe(0);
  return program.output;
}

test('the example client and the ten lines of the guide start a session, trip a rule and upload evidence', async () => {
  const { project, player, apiKey } = await setupAntiCheat(server);
  const folder = await mkdtemp(path.join(tmpdir(), 'laurel-client-'));
  const receiver = await openReceiver();
  const { signingSecret } = await makeSubscription(project.id, { url: receiver.url, events: ['anticheat.*'] });

  const token = player.bearer.replace('Bearer ', '');
  const enrolled = await runToEnd(
    [client, 'enroll', '--url', server.url, '--project', project.id, '--token', token],
    folder,
  );
  expect(enrolled).toContain('Enrolled as acl_');

  await writeFile(path.join(folder, 'session.mjs'), sessionSample);
  const variables = { LAUREL_URL: server.url, LAUREL_KEY: apiKey };
  const session = start(['session.mjs', player.id], folder, variables);
  await until(() => session.output.includes('started acs_'));
  const sessionId = /acs_\w{26}/.exec(session.output)?.[0] ?? '';

  await copyFile('/bin/sleep', path.join(folder, 'xenos64.exe'));
  const injector = spawn(path.join(folder, 'xenos64.exe'), ['60']);
  started.push(injector);
  const watching = start([client, 'run', '--for', '60'], folder);
  await until(
    async () => (await db.antiCheatReport.count({ where: { data: { path: ['name'], equals: 'xenos64.exe' } } })) > 0,
  );
  watching.child.kill();
  await evaluate(sessionId);
  await until(() => receiver.received.length === 1);
  const [delivery] = receiver.received;
  expect(JSON.parse(delivery?.body ?? '')).toMatchObject({
    event: { type: 'anticheat.detection_raised' },
    data: { payload: { sessionId, userId: player.id, ruleId: 'cs2.blocked_process', severity: 'critical' } },
  });
  expect(delivery?.headers['x-webhook-signature']).toBe(
    createHmac('sha256', signingSecret)
      .update(delivery?.body ?? '')
      .digest('hex'),
  );

  session.child.stdin.write('\n');
  await until(() => session.code !== undefined);
  expect([session.code, session.output]).toEqual([0, expect.stringContaining("ruleId: 'cs2.blocked_process'")]);
  await until(() => receiver.received.length === 2);
  expect(JSON.parse(receiver.received[1]?.body ?? '')).toMatchObject({
    event: { type: 'anticheat.session_completed' },
    data: { payload: { sessionId, detectionCount: 1, reason: 'match completed' } },
  });

  await writeFile(path.join(folder, 'shot.png'), 'not really a picture');
  const url = env.PUBLIC_URL;
  Object.assign(env, { S3_PROXY_UPLOADS: false });
  const evidence = ['--session', sessionId, '--kind', 'screenshot', '--type', 'image/png', 'shot.png'];
  const uploaded = await runToEnd([client, 'evidence', '--url', server.url, '--key', apiKey, ...evidence], folder);
  Object.assign(env, { S3_PROXY_UPLOADS: true, PUBLIC_URL: url });
  expect(await confirmUpload(/med_\w{26}/.exec(uploaded)?.[0] ?? '')).toBe('ready');
});

test('the example client gives up when its token is revoked, and says so', async () => {
  const { project, player } = await setupAntiCheat(server);
  const folder = await mkdtemp(path.join(tmpdir(), 'laurel-client-'));
  const token = player.bearer.replace('Bearer ', '');
  await runToEnd([client, 'enroll', '--url', server.url, '--project', project.id, '--token', token], folder);
  await db.antiCheatClient.updateMany({ where: { projectId: project.id }, data: { revokedAt: new Date() } });
  const program = start([client, 'run'], folder);
  await until(() => program.code !== undefined);
  expect(program).toMatchObject({ code: 1, output: expect.stringContaining('CLIENT_TOKEN_INVALID') });
});
