import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { verificationSamples } from '@/components/webhooks/subscriptions/verification-samples';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('every sample compares in constant time', () => {
  expect(verificationSamples.map((sample) => sample.label)).toEqual(['Node.js', 'Python', 'Go', 'PHP', 'Ruby']);
  for (const { code } of verificationSamples) {
    expect(code).toMatch(/timingSafeEqual|compare_digest|hmac\.Equal|hash_equals|secure_compare/);
    expect(code).toMatch(/SIGNING_SECRET/);
  }
});

test('the Node.js sample accepts valid signatures only', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'laurel-sample-'));
  const port = await freePort();
  const secret = 'whsec_c2VjcmV0IG9mIGEgdGVzdA==';
  const code = verificationSamples.find((sample) => sample.label === 'Node.js')?.code ?? '';
  await writeFile(path.join(folder, 'server.mjs'), code.replace('8080', String(port)));
  const server = spawn(process.execPath, [path.join(folder, 'server.mjs')], {
    env: { ...process.env, SIGNING_SECRET: secret },
  });
  const body = '{"event":{"type":"match.completed"},"name":"Zoë"}';
  const sign = (text: string, key: string) => createHmac('sha256', key).update(text).digest('hex');
  const send = async (headers: Record<string, string>) =>
    (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body, headers })).status;
  try {
    await vi.waitFor(() => send({}), { timeout: 20_000, interval: 50 });
    expect(await send({ 'x-webhook-signature': sign(body, secret) })).toBe(200);
    expect(await send({ 'x-webhook-signature': sign(body, 'another') })).toBe(401);
    expect(await send({ 'x-webhook-signature': sign(`${body} `, secret) })).toBe(401);
    expect(await send({ 'x-webhook-signature': 'zz' })).toBe(401);
    expect(await send({})).toBe(401);
  } finally {
    server.kill();
    await rm(folder, { recursive: true, force: true });
  }
});
