import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { APIRequestContext } from 'playwright/test';
import { SMTPServer } from 'smtp-server';
import { startEmbeddedPostgres } from '../src/embedded/postgres/postgres';
import { startStore } from '../src/embedded/store/server';
import { type InngestServer, startInngestServer } from '../src/test/inngest-server';
import { expect, test } from './fixtures';
import { freePort, type Laurel, newDataDir, readDemo, removeDataDir, startLaurel } from './laurel';

const password = 'demo-password';

/** A mail server that accepts everything. */
async function startMailServer() {
  const messages: { to: string[]; text: string }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, session, done) {
      let text = '';
      stream.on('data', (chunk) => {
        text += chunk;
      });
      stream.on('end', () => {
        messages.push({ to: session.envelope.rcptTo.map(({ address }) => address), text });
        done();
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return { messages, url: `smtp://127.0.0.1:${port}`, stop: () => new Promise<void>((done) => server.close(done)) };
}

/** The API through one of the processes, as a demo account. */
async function as(request: APIRequestContext, laurel: Laurel, email: string) {
  const answer = await request.post(`${laurel.url}/api/v1/auth/token`, { data: { email, password } });
  const { accessToken } = await answer.json();
  return (through: Laurel, method: string, route: string, data?: object) =>
    request.fetch(`${through.url}/api/v1${route}`, {
      method,
      data,
      headers: { Authorization: `Bearer ${accessToken}` },
    });
}

test('two processes on an external database, store and mail server behave as one', async ({ page, request }) => {
  test.setTimeout(240_000);
  const elsewhere = newDataDir();
  const dataDirs = [newDataDir(), newDataDir()] as const;
  const database = await startEmbeddedPostgres({ dataDir: elsewhere, fast: true, log: () => undefined });
  const credentials = { region: 'us-east-1', accessKeyId: 'somebody', secretAccessKey: randomUUID() };
  const objects = path.join(elsewhere, 'objects');
  const store = await startStore({ ...credentials, directory: objects, bucket: 'pictures', port: 0 });
  const mail = await startMailServer();
  const env = {
    DATABASE_URL: database.url,
    S3_ENDPOINT: store.url,
    S3_BUCKET: 'pictures',
    S3_REGION: credentials.region,
    S3_ACCESS_KEY_ID: credentials.accessKeyId,
    S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    SMTP_URL: mail.url,
    AUTH_SECRET: randomUUID().repeat(2),
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    LAUREL_DEMO: '1',
  };
  const running: Laurel[] = [];
  try {
    const one = await startLaurel(dataDirs[0], await freePort(), env);
    running.push(one);
    const two = await startLaurel(dataDirs[1], await freePort(), { ...env, LAUREL_DEMO: '0' });
    running.push(two);
    for (const dataDir of dataDirs) {
      expect(readdirSync(dataDir)).not.toContain('postgres.json');
      expect(existsSync(path.join(dataDir, 'objects'))).toBe(false);
    }

    const email = `e2e-${randomUUID()}@players.test`;
    const signUp = { data: { email, password: 'four words are enough', name: 'Ada' } };
    expect((await request.post(`${one.url}/api/v1/auth/register`, signUp)).status()).toBe(201);
    await expect.poll(() => mail.messages.filter(({ to }) => to.includes(email)).length, { timeout: 30_000 }).toBe(1);
    expect(existsSync(path.join(dataDirs[0], 'mail'))).toBe(false);

    const { project } = readDemo(dataDirs[0]);
    const owner = await as(request, one, 'owner@demo.test');
    const startDate = new Date(Date.now() + 86_400_000).toISOString();
    const settings = { name: `Two Doors ${randomUUID()}`, game: 'cs2', maxParticipants: 4, startDate };
    const created = await owner(two, 'POST', `/projects/${project.id}/tournaments`, settings);
    expect(created.status()).toBe(201);
    const { id, slug } = await created.json();
    expect((await owner(one, 'POST', `/tournaments/${id}/publish`)).ok()).toBe(true);

    await page.goto(`${two.url}/tournaments/${slug}`);
    await expect(page.getByText('Live updates')).toBeVisible();
    const player = await as(request, two, 'player1@demo.test');
    expect((await player(one, 'POST', `/tournaments/${slug}/participants/register`)).status()).toBe(201);
    await expect(page.getByText('3 slots left.')).toBeVisible();

    const keys = `/projects/${project.id}/developer/api-keys`;
    const made = await owner(one, 'POST', keys, { name: 'Both doors', scopes: ['read:tournaments'] });
    const { id: keyId, key } = await made.json();
    const read = () => request.get(`${two.url}/api/v1/data/tournaments/${slug}`, { headers: { 'x-api-key': key } });
    expect((await read()).status()).toBe(200);
    expect((await owner(one, 'DELETE', `${keys}/${keyId}`)).ok()).toBe(true);
    await expect.poll(async () => (await read()).status(), { timeout: 5_000 }).toBe(401);
  } finally {
    await Promise.all(running.map((laurel) => laurel.stop()));
    await mail.stop();
    await store.stop();
    await database.stop();
    for (const dataDir of [...dataDirs, elsewhere]) removeDataDir(dataDir);
  }
});

test('the product starts and works while its Inngest server is away, and catches up when it comes', async ({
  request,
}) => {
  test.setTimeout(240_000);
  const dataDir = newDataDir();
  const port = await freePort();
  const keys = { INNGEST_EVENT_KEY: 'event-key', INNGEST_SIGNING_KEY: 'ab12cd34ef56' };
  const server = { INNGEST_BASE_URL: `http://127.0.0.1:${port}`, ...keys };
  const laurelPort = await freePort();
  const address = `http://127.0.0.1:${laurelPort}`;
  const laurel = await startLaurel(dataDir, laurelPort, { ...server, INNGEST_SERVE_ORIGIN: address, LAUREL_DEMO: '0' });
  let inngest: InngestServer | null = null;
  try {
    const readiness = async () => {
      const response = await request.get(`${laurel.url}/readyz`);
      return [response.status(), (await response.json()).status];
    };
    expect(await readiness()).toEqual([200, 'degraded']);
    const line = 'the Inngest server does not take the functions; trying again';
    await expect.poll(() => laurel.output(), { timeout: 30_000 }).toContain(line);
    const email = `e2e-${randomUUID()}@players.test`;
    const signUp = { data: { email, password: 'four words are enough', name: 'Ada' } };
    expect((await request.post(`${laurel.url}/api/v1/auth/register`, signUp)).status()).toBe(201);
    const mails = () => (existsSync(path.join(dataDir, 'mail')) ? readdirSync(path.join(dataDir, 'mail')).length : 0);
    expect(mails()).toBe(0);
    inngest = await startInngestServer({ port });
    await expect.poll(readiness, { timeout: 60_000 }).toEqual([200, 'ready']);
    await expect.poll(mails, { timeout: 60_000 }).toBe(1);
  } finally {
    await laurel.stop();
    await inngest?.stop();
    removeDataDir(dataDir);
  }
});
