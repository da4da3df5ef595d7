import { createHmac, randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { windowMs } from '@/domain/anticheat/rules';
import { newId } from '@/domain/ids';
import { env, readEnv } from '@/env';
import { Prisma } from '@/generated/prisma/client';
import { askForVerdicts } from '@/inngest/functions/anti-cheat';
import { db, pool } from '@/server/db';
import { inngest } from '@/server/jobs/client';
import { verdictDue } from '@/server/jobs/events';
import { type Background, quiet, startBackground } from '@/test/background';
import { openReceiver } from '@/test/queue';
import { type Respond, until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';
import { evaluate, injector, setupAntiCheat } from '../anticheat.fixture';
import { askForVerdict, maxWaiting, takeDueStatement, takeDueVerdicts } from './data';
import { maxReportsBytes, type VerdictRequest, verdictExample } from './schema';

const server = setupTestServer();
const defaults = { ...env };
let background: Background;

beforeAll(async () => {
  background = await startBackground({ functions: [askForVerdicts], logger: quiet, backoff: () => 10 });
});
afterEach(() => void Object.assign(env, defaults));
afterAll(() => background.stop());

const secret = `whsec_${randomBytes(32).toString('base64')}`;
const good = { verdict: 'confirmed', confidence: 0.93, model: 'aim-review-2' };
const answer = (body: unknown, status = 200): Respond => {
  return (_request, response) => response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
};

function use(url: string) {
  Object.assign(env, { ANTI_CHEAT_VERDICT_URL: url, ANTI_CHEAT_VERDICT_SECRET: secret });
}

/** A provider that gives these responses, the last one again and again. */
async function openProvider(...responses: Respond[]) {
  let turn = 0;
  const provider = await openReceiver((request, response) => {
    responses[Math.min(turn, responses.length - 1)]?.(request, response);
    turn += 1;
  });
  use(provider.url);
  return provider;
}

/** A detection that was just raised. */
async function makeDetection(...reports: Record<string, unknown>[]) {
  const setup = await setupAntiCheat(server);
  const client = await setup.enroll();
  const { sessionId, matchId } = await setup.start();
  await client.report(injector(1), ...reports);
  expect(await evaluate(sessionId)).toBeGreaterThan(0);
  const { id } = await db.detection.findFirstOrThrow({ where: { sessionId, ruleId: 'cs2.blocked_process' } });
  const read = () => db.detection.findUniqueOrThrow({ where: { id } });
  const listed = async () =>
    (await server.get<{ id: string; hasAiVerdict: boolean }[]>('/anti-cheat/detections', { apiKey: setup.apiKey }))
      .body;
  /** Hands over what is due, and waits until nothing is. */
  async function run() {
    const due = await takeDueVerdicts(200);
    if (due.length > 0) await inngest.send(due.map((one) => verdictDue.create(one)));
    await until(async () => (await read()).aiVerdictDueAt === null);
    return read();
  }
  return { ...setup, client, id, sessionId, matchId, read, listed, run };
}

const recorded = { aiVerdict: 'confirmed', aiConfidence: 0.93, aiModel: 'aim-review-2', aiVerdictDueAt: null };
const without = { aiVerdict: null, aiConfidence: null, aiModel: null, aiVerdictAt: null, aiVerdictDueAt: null };

test('nobody is asked by default, and the list says that there is no verdict', async () => {
  expect(readEnv({}).ANTI_CHEAT_VERDICT_URL).toBeUndefined();
  const { read, listed } = await makeDetection();
  expect(await read()).toMatchObject({ ...without, aiVerdictFailure: null });
  expect(await takeDueVerdicts(200)).toEqual([]);
  expect(await listed()).toMatchObject([{ hasAiVerdict: false }]);
});

test('the provider is asked with a signed request, and its verdict is recorded once', async () => {
  const provider = await openProvider(answer({ ...good, more: 'ignored' }));
  const { id, player, sessionId, matchId, run, listed } = await makeDetection();
  expect(await listed()).toMatchObject([{ hasAiVerdict: false }]);
  expect(await run()).toMatchObject({ ...recorded, aiVerdictFailure: null, verdict: null });
  expect(await listed()).toMatchObject([{ hasAiVerdict: true, reviewed: false }]);

  const [request] = provider.received;
  const body = JSON.parse(request?.body ?? '') as VerdictRequest & { signature: string };
  expect(body.detection).toMatchObject({
    id,
    userId: player.id,
    sessionId,
    matchId,
    game: 'cs2',
    severity: 'critical',
  });
  expect(body.detection.explanation).toBe('Running beside the game: xenos64.exe.');
  expect(body.reports).toMatchObject([{ sequence: 1, kind: 'process', data: { name: 'xenos64.exe' } }]);
  expect(Date.parse(body.window.end) - Date.parse(body.window.start)).toBe(windowMs);
  const { signature, ...unsigned } = body;
  const hmac = (text: string) => createHmac('sha256', secret).update(text).digest('hex');
  expect(signature).toBe(hmac(JSON.stringify(unsigned)));
  expect(request?.headers['x-webhook-signature']).toBe(hmac(request?.body ?? ''));
  expect(new Webhook(secret).verify(request?.body ?? '', request?.headers as Record<string, string>)).toEqual(body);
  expect(request?.headers['webhook-id']).toBe(id);
  // What the guide shows is what is sent.
  expect(Object.keys(unsigned)).toEqual(Object.keys(verdictExample.request));
  expect(Object.keys(body.detection).sort()).toEqual(Object.keys(verdictExample.request.detection).sort());
  expect(Object.keys(body.reports[0] ?? {})).toEqual(Object.keys(verdictExample.request.reports[0] ?? {}));

  await inngest.send(
    [1, 2].map(() => verdictDue.create({ detectionId: id, projectId: body.detection.id, turn: 'a block' })),
  );
  await background.idle();
  expect(provider.received).toHaveLength(1);
});

test('projects with many detections at a slow provider do not keep another one from asking', async () => {
  const pending: (() => void)[] = [];
  let isSlow = true;
  const provider = await openProvider((request, response) => {
    const respond = () => answer(good)(request, response);
    if (isSlow) pending.push(respond);
    else respond();
  });
  const { id, project } = await makeDetection();
  const row = await db.detection.findUniqueOrThrow({ where: { id } });
  const copies = Array.from({ length: 25 }, (_, index) => ({
    ...{ ...row, figures: row.figures ?? {}, thresholds: row.thresholds ?? {} },
    ...{ id: newId('det'), windowStart: new Date(+row.windowStart - (index + 1) * windowMs) },
  }));
  await db.detection.createMany({ data: copies });
  const due = copies.map((copy, index) => {
    return { detectionId: copy.id, projectId: `prj_${index % 5}`, turn: `block ${index % 5}` };
  });
  await inngest.send(due.map((one) => verdictDue.create(one)));
  await until(() => pending.length === 8);
  await inngest.send(verdictDue.create({ detectionId: id, projectId: project.id, turn: 'a block' }));
  const asked = `SELECT 1 FROM local_inngest.jobs WHERE leased_by IS NOT NULL AND run_id IN
    (SELECT id FROM local_inngest.runs WHERE event::jsonb -> 'data' ->> 'detectionId' = $1)`;
  await until(async () => (await pool.query(asked, [id])).rowCount === 1, 10_000);
  isSlow = false;
  for (const respond of pending) respond();
  await until(() => provider.received.length === copies.length + 1);
  const places = provider.received.map(({ body }) => (JSON.parse(body) as VerdictRequest).detection.id);
  expect(places.indexOf(id)).toBeLessThan(20);
});

test('two runs at once record one verdict', async () => {
  const verdicts = ['confirmed', 'dismissed'].map((verdict) => answer({ ...good, verdict }));
  const provider = await openProvider(...verdicts);
  const { id, read } = await makeDetection();
  await Promise.all([askForVerdict(id), askForVerdict(id)]);
  const first = await read();
  expect(await askForVerdict(id)).toEqual({ state: 'not_due' });
  expect(await read()).toEqual(first);
  expect(provider.received.length).toBeLessThanOrEqual(2);
});

test('a provider that is slow, fails or hangs up is asked again', async () => {
  env.ANTI_CHEAT_VERDICT_TIMEOUT_MS = 300;
  const hangUp: Respond = (_request, response) => response.destroy();
  const provider = await openProvider(() => undefined, answer('', 500), hangUp, answer('', 429), answer(good));
  const { run } = await makeDetection();
  expect(await run()).toMatchObject(recorded);
  expect(provider.received).toHaveLength(5);
  expect(new Set(provider.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});

test('a provider that stays away leaves no verdict', async () => {
  const provider = await openProvider(answer('', 503));
  const { run, listed } = await makeDetection();
  expect(await run()).toMatchObject({ ...without, aiVerdictFailure: 'unreachable' });
  expect(provider.received).toHaveLength(5);
  expect(await listed()).toMatchObject([{ hasAiVerdict: false }]);
});

test.each<[string, unknown, number, string]>([
  ['no JSON', 'confirmed', 200, 'invalid_answer'],
  ['another verdict', { ...good, verdict: 'guilty' }, 200, 'invalid_answer'],
  ['a confidence past 1', { ...good, confidence: 1.01 }, 200, 'invalid_answer'],
  ['a confidence that is no number', { ...good, confidence: '0.9' }, 200, 'invalid_answer'],
  ['no model', { ...good, model: ' ' }, 200, 'invalid_answer'],
  ['a long model', { ...good, model: 'x'.repeat(101) }, 200, 'invalid_answer'],
  ['a model that cannot be stored', { ...good, model: 'a\0b' }, 200, 'invalid_answer'],
  ['more than 16 KiB', { ...good, padding: 'x'.repeat(20_000) }, 200, 'invalid_answer'],
  ['401', 'no', 401, 'rejected'],
])('%s is no verdict, and the provider is not asked again', async (_what, body, status, aiVerdictFailure) => {
  const provider = await openProvider(answer(body, status));
  const { run } = await makeDetection();
  expect(await run()).toMatchObject({ ...without, aiVerdictFailure });
  expect(provider.received).toHaveLength(1);
});

test('redirects are not followed, and addresses that are not public are refused', async () => {
  const target = await openReceiver(answer(good));
  await openProvider((_request, response) => response.writeHead(307, { location: target.url }).end());
  expect(await (await makeDetection()).run()).toMatchObject({ ...without, aiVerdictFailure: 'rejected' });
  for (const host of ['10.0.0.1', '169.254.169.254', '[::1]', '[::ffff:10.0.0.1]']) {
    use(`http://${host}:${target.port}/`);
    expect(await (await makeDetection()).run()).toMatchObject({ ...without, aiVerdictFailure: 'rejected' });
  }
  expect(target.received).toEqual([]);
});

test('a detection whose event is lost is due again, and what is turned off is given up', async () => {
  const provider = await openProvider(answer(good));
  const { id, run, read } = await makeDetection();
  expect((await takeDueVerdicts(200)).map(({ detectionId }) => detectionId)).toEqual([id]);
  expect(await takeDueVerdicts(200)).toEqual([]);
  const { aiVerdictDueAt } = await read();
  expect((aiVerdictDueAt?.getTime() ?? 0) - Date.now()).toBeGreaterThan(9 * 60_000);
  await db.detection.update({ where: { id }, data: { aiVerdictDueAt: new Date() } });
  env.ANTI_CHEAT_VERDICT_URL = undefined;
  expect(await run()).toMatchObject({ ...without, aiVerdictFailure: 'turned_off' });
  expect(provider.received).toEqual([]);
});

test('each project gets its turn', async () => {
  await openProvider(answer(good));
  const [busy, calm] = [await makeDetection(), await makeDetection()];
  const row = await busy.read();
  const copies = Array.from({ length: 5 }, (_, index) => ({
    ...row,
    id: `${row.id.slice(0, -1)}${'abcde'[index]}x`,
    windowStart: new Date(index),
    aiVerdictDueAt: new Date(0),
    figures: {},
    thresholds: {},
  }));
  await db.detection.createMany({ data: copies });
  expect((await takeDueVerdicts(2)).map(({ projectId }) => projectId).sort()).toEqual(
    [busy.project.id, calm.project.id].sort(),
  );
  await db.detection.updateMany({ where: { projectId: busy.project.id }, data: { aiVerdictDueAt: null } });
});

/** Has many more detections of the same project wait. */
async function fillWaiting(id: string, count: number) {
  await pool.query(
    `INSERT INTO detection SELECT (json_populate_record(d, json_build_object('id', 'det_copy_' || d.id || n, 'aiVerdictDueAt', now(),
       'windowStart', d."windowStart" - n * interval '1 minute'))).* FROM detection d, generate_series(1, $2::int) n WHERE d.id = $1`,
    [id, count],
  );
  await pool.query('ANALYZE detection');
}

test('of what is due, as many of each project are read as are taken', async () => {
  await openProvider(answer(good));
  const { id, project } = await makeDetection();
  await fillWaiting(id, 3_000);
  const plan = await db.$queryRaw<{ 'QUERY PLAN': string }[]>(
    Prisma.sql`EXPLAIN (ANALYZE, TIMING OFF) ${takeDueStatement(20)}`,
  );
  const lines = plan.map((line) => line['QUERY PLAN']);
  expect(lines.join('\n')).not.toMatch(/Seq Scan|Join/);
  const most = lines.map((line) => Number(/actual rows=([\d.]+)/.exec(line)?.[1] ?? 0));
  expect(Math.max(...most)).toBeLessThanOrEqual(20);
  await db.detection.updateMany({ where: { projectId: project.id }, data: { aiVerdictDueAt: null } });
});

test('where too many of a project wait, the provider is not asked about the newest', async () => {
  await openProvider(answer(good));
  const { id, project, client, start, read } = await makeDetection();
  expect(await read()).toMatchObject({ aiVerdictFailure: null });
  await fillWaiting(id, maxWaiting - 1);
  const raiseAnother = async (sequence: number) => {
    const { sessionId } = await start();
    await client.report(injector(sequence));
    await evaluate(sessionId);
    return db.detection.findFirstOrThrow({ where: { sessionId } });
  };
  expect(await raiseAnother(11)).toMatchObject({ ...without, aiVerdictFailure: 'too_many' });
  await db.detection.update({ where: { id }, data: { aiVerdictDueAt: null } });
  expect(await raiseAnother(12)).toMatchObject({ aiVerdictFailure: null, aiVerdictDueAt: expect.any(Date) });
  await db.detection.updateMany({ where: { projectId: project.id }, data: { aiVerdictDueAt: null } });
});

test('a request is bounded, and leaves out what clients add to their reports', async () => {
  const provider = await openProvider(answer(good));
  const at = new Date().toISOString();
  const detection = await makeDetection({
    sequence: 2,
    at,
    kind: 'process',
    data: { name: 'notepad.exe', owner: 'Ada Lovelace' },
  });
  const name = 'x'.repeat(260);
  await db.antiCheatReport.createMany({
    data: Array.from({ length: 900 }, (_, index) => ({
      clientId: detection.client.id,
      sequence: index + 3,
      at,
      receivedAt: new Date(),
      kind: 'module',
      data: { name, sha256: 'a'.repeat(64), expectedSha256: null, padding: 'p'.repeat(200) },
    })),
  });
  await detection.run();
  const body = provider.received[0]?.body ?? '';
  const { reports, reportsOmitted } = JSON.parse(body) as VerdictRequest;
  expect(body).not.toContain('Lovelace');
  expect(body).not.toContain('padding');
  expect(reports[1]?.data).toEqual({ name: 'notepad.exe' });
  expect(Buffer.byteLength(body)).toBeLessThan(maxReportsBytes + 4_096);
  expect(reportsOmitted).toBeGreaterThan(0);
  expect(reports.length + reportsOmitted).toBe(902);
});

test('settings that cannot work are refused at the start', () => {
  const url = 'https://verdicts.example.org/';
  expect(() => readEnv({ ANTI_CHEAT_VERDICT_URL: url })).toThrow('ANTI_CHEAT_VERDICT_SECRET');
  for (const bad of ['plain', 'whsec_', 'whsec_c2hvcnQ=']) {
    const settings = { ANTI_CHEAT_VERDICT_URL: url, ANTI_CHEAT_VERDICT_SECRET: bad };
    expect(() => readEnv(settings)).toThrow('whsec_ and at least 24 bytes');
  }
  for (const bad of ['ftp://x', 'https://ada:secret@x.test/']) {
    const settings = { ANTI_CHEAT_VERDICT_URL: bad, ANTI_CHEAT_VERDICT_SECRET: secret };
    expect(() => readEnv(settings)).toThrow('ANTI_CHEAT_VERDICT_URL');
  }
  const settings = { ANTI_CHEAT_VERDICT_URL: url, ANTI_CHEAT_VERDICT_SECRET: secret };
  expect(readEnv(settings).ANTI_CHEAT_VERDICT_TIMEOUT_MS).toBe(10_000);
});
