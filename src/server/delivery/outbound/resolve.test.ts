import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getPriority, tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseCidr } from '@/server/delivery/outbound/addresses';
import { createGuardedAgent } from '@/server/delivery/outbound/agent';
import { post } from '@/server/delivery/outbound/post';
import { createResolve, OwnResolverError } from '@/server/delivery/outbound/resolve';
import { startNameServer } from '@/test/name-server';
import { niceness } from '@/test/niceness';

/** A name server where names under `hang` are never answered, `none` does not exist, and all others have one address. */
async function nameServer() {
  const server = await startNameServer((name) => {
    if (name.endsWith('hang')) return undefined;
    return name.endsWith('none') ? null : '127.0.0.1';
  });
  onTestFinished(() => server.close());
  return server;
}

async function receiver(answer: RequestListener): Promise<number> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const rule = { allowed: [parseCidr('127.0.0.0/8')], httpAnywhere: true };
const request = (url: string) => ({ url, body: Buffer.from('{}'), headers: {}, timeoutMs: 10_000 });

describe('resolving names', () => {
  it('concurrent calls for a name share one look-up; a later call makes another', async () => {
    const { address, asked } = await nameServer();
    const resolve = createResolve({ servers: [address] });
    await Promise.all([resolve('a.test'), resolve('a.test'), resolve('b.test'), resolve('a.test')]);
    // Each look-up asks for both kinds of addresses.
    expect(asked.sort()).toEqual(['a.test', 'a.test', 'b.test', 'b.test']);
    expect(await resolve('a.test')).toEqual([{ address: '127.0.0.1', family: 4 }]);
    expect(asked).toHaveLength(6);
  });

  it('a hundred names that hang do not delay others, not even once', async () => {
    const { address } = await nameServer();
    const resolve = createResolve({ servers: [address] });
    const hanging = Array.from({ length: 100 }, (_, index) => resolve(`${index}.hang`));
    const started = performance.now();
    for (let index = 0; index < 20; index += 1) expect(await resolve(`${index}.test`)).toHaveLength(1);
    const others = performance.now() - started;
    const results = await Promise.allSettled(hanging);
    expect(results.every((each) => each.status === 'rejected' && each.reason.code === 'EAI_TIMEOUT')).toBe(true);
    expect(others).toBeLessThan((performance.now() - started) / 2);
  });

  it('uses few of the addresses of a name, however many it has', async () => {
    const addresses = Array.from({ length: 60 }, (_, index) => `127.0.1.${index}`);
    const server = await startNameServer(() => addresses);
    onTestFinished(() => server.close());
    const found = await createResolve({ servers: [server.address] })('many.test');
    expect(found.length).toBeGreaterThan(1);
    expect(found.length).toBeLessThanOrEqual(8);
  });

  it('asks once for many look-ups where the answer has thousands of records', async () => {
    const addresses = Array.from({ length: 4_000 }, (_, index) => `127.1.${index >> 8}.${index & 255}`);
    const server = await startNameServer((name) => (name === 'many.test' ? addresses : '127.0.0.1'));
    onTestFinished(() => server.close());
    const resolve = createResolve({ servers: [server.address] });
    // What the first answer takes does not count.
    await resolve('one.test');
    for (let count = 0; count < 20; count += 1) expect(await resolve('many.test')).toHaveLength(8);
    expect(server.asked.filter((name) => name === 'many.test')).toHaveLength(2);
  });

  it('whoever has names whose answers take long keeps nobody else from theirs', async () => {
    const addresses = Array.from({ length: 4_000 }, (_, index) => `127.1.${index >> 8}.${index & 255}`);
    const server = await startNameServer((name) => (name.endsWith('many.test') ? addresses : '127.0.0.1'));
    onTestFinished(() => server.close());
    const resolve = createResolve({ servers: [server.address] });
    await resolve('one.test', 'others');
    for (let count = 0; count < 5; count += 1) await resolve(`${count}.many.test`, 'somebody');
    // Others who ask for the same name do not wait for the other thread: each asks for both kinds of addresses.
    const late = [resolve('late.test', 'somebody'), resolve('late.test', 'others')];
    for (const found of await Promise.all(late)) expect(found).toHaveLength(1);
    expect(server.asked.filter((name) => name === 'late.test')).toHaveLength(4);
  });

  it.runIf(process.platform === 'linux')('the thread that reads what takes long yields its processor', async () => {
    const addresses = Array.from({ length: 4_000 }, (_, index) => `127.1.${index >> 8}.${index & 255}`);
    const server = await startNameServer((name) => (name.endsWith('many.test') ? addresses : '127.0.0.1'));
    onTestFinished(() => server.close());
    const resolve = createResolve({ servers: [server.address] });
    await resolve('one.test', 'others');
    const yielding = async () => (await niceness()).filter((each) => each > getPriority()).length;
    const before = await yielding();
    for (let count = 0; count < 5; count += 1) await resolve(`${count}.many.test`, 'somebody');
    await resolve('two.test', 'others');
    expect(await yielding()).toBe(before + 1);
  });

  it('names that hang together are given up one after another', async () => {
    const { address } = await nameServer();
    const resolve = createResolve({ servers: [address] });
    const ends: number[] = [];
    const note = () => ends.push(performance.now());
    await Promise.all(Array.from({ length: 60 }, (_, index) => resolve(`${index}.hang`).catch(note)));
    expect(ends).toHaveLength(60);
    expect(Math.max(...ends) - Math.min(...ends)).toBeGreaterThan(300);
  });

  it('reports names that do not exist, and reserved ones without a question', async () => {
    const { address, asked } = await nameServer();
    const resolve = createResolve({ servers: [address] });
    await expect(resolve('there-is.none')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    const before = asked.length;
    await expect(resolve('some.invalid')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(asked).toHaveLength(before);
  });

  it('knows the hosts file of the machine', async () => {
    const file = path.join(await mkdtemp(path.join(tmpdir(), 'laurel-hosts-')), 'hosts');
    await writeFile(file, '# local\n10.1.2.3 Hooks.lan hooks # ours\nfd00::7 hooks\n');
    const { address, asked } = await nameServer();
    const resolve = createResolve({ servers: [address], file });
    expect(await resolve('hooks.lan')).toEqual([{ address: '10.1.2.3', family: 4 }]);
    expect((await resolve('hooks')).map((each) => each.address)).toEqual(['10.1.2.3', 'fd00::7']);
    expect((await resolve('localhost')).map((each) => each.address)).toContain('127.0.0.1');
    expect(asked).toEqual([]);
  });
});

describe('a request', () => {
  it('does not fail against its receiver when our own name servers do not answer', async () => {
    const { address } = await startNameServer(() => undefined);
    const resolve = createResolve({ servers: [address] });
    await expect(resolve('a.test')).rejects.toBeInstanceOf(OwnResolverError);
    const result = await post(createGuardedAgent(rule, resolve), request('http://a.test/'));
    expect(result).toMatchObject({ succeeded: false, blameless: true, errorClass: 'dns_error' });
  });

  it('to a name whose own servers hang does, and one to an answered name succeeds meanwhile', async () => {
    const port = await receiver((_request, response) => void response.end('ok'));
    const { address } = await nameServer();
    const agent = createGuardedAgent(rule, createResolve({ servers: [address] }));
    const hanging = post(agent, request(`http://a.hang:${port}/`));
    expect(await post(agent, request(`http://a.test:${port}/`))).toMatchObject({ succeeded: true });
    expect(await hanging).toMatchObject({ succeeded: false, blameless: false, errorClass: 'dns_error' });
  });
});
