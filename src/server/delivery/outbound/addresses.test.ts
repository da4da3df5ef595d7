import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AddressRule, checkUrl, isPermitted, parseCidr } from '@/server/delivery/outbound/addresses';
import { createGuardedAgent } from '@/server/delivery/outbound/agent';
import { post } from '@/server/delivery/outbound/post';
import type { Resolve } from '@/server/delivery/outbound/resolve';

const strict: AddressRule = { allowed: [], httpAnywhere: true };
const production: AddressRule = { allowed: [], httpAnywhere: false };
const withLoopback: AddressRule = { allowed: [parseCidr('127.0.0.0/8')], httpAnywhere: false };

const toPublic: Resolve = async () => [{ address: '93.184.215.14', family: 4 }];
const answering =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

/** Every notation of a private address that a URL parser accepts. */
const literals = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '0x7f.0.0.1',
  '0x7f000001',
  '0177.0.0.1',
  '017700000001',
  '2130706433',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '１２７.0.0.1',
  '127。0。0。1',
  '①②⑦.0.0.1',
  '0',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '0xA9FEA9FE',
  '100.64.0.1',
  '192.0.0.192',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:10.0.0.1]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::10.0.0.1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[2001:db8::1]',
];

describe('a private address in the URL', () => {
  it.each(literals)('is rejected when it is saved and when it is connected to: %s', async (host) => {
    const url = `http://${host}/hook`;
    expect(await checkUrl(url, strict, toPublic)).toMatchObject({ code: 'blocked' });
    const agent = createGuardedAgent(strict, toPublic);
    const result = await send(agent, url);
    expect(result.errorClass).toBe('blocked_address');
    await agent.close();
  });

  it.each(['http://[fe80::1%25eth0]/', 'http://[::1%25lo]/', 'http://[127.0.0.1]/', 'http://1.2.3.4.5/', 'http:///x'])(
    'in a form that is no URL is refused: %s',
    async (url) => {
      expect(await checkUrl(url, strict, answering())).not.toBeNull();
    },
  );

  it('is rejected after a user name, whichever side looks like the host', async () => {
    for (const url of [
      'https://example.com@127.0.0.1/',
      'https://example.com:443@127.0.0.1/',
      'https://127.0.0.1@example.com/',
      'https://user:pass@example.com/',
      'https://:@127.0.0.1/',
    ]) {
      expect(await checkUrl(url, strict, toPublic)).toMatchObject({
        code: expect.stringMatching(/credentials|blocked/),
      });
    }
    for (const url of [
      'https://example.com\\@127.0.0.1/',
      'https://127.0.0.1\t.example.com/',
      ' https://example.com',
    ]) {
      expect(await checkUrl(url, strict, toPublic)).toMatchObject({ code: 'syntax' });
    }
  });

  it('is rejected in every notation that a look-up can return', () => {
    for (const address of ['fe80::1%eth0', '::1%lo', '::ffff:10.0.0.1', 'nonsense', '']) {
      expect(isPermitted(address, 'https:', strict)).toBe(false);
    }
    expect(isPermitted('93.184.215.14', 'https:', strict)).toBe(true);
    expect(isPermitted('2606:4700::6810:84e5', 'https:', strict)).toBe(true);
  });
});

describe('a host name', () => {
  it('is rejected when any of its addresses is private', async () => {
    for (const answers of [
      ['127.0.0.1'],
      ['93.184.215.14', '10.0.0.1'],
      ['2606:4700::1', '::1'],
      ['::ffff:127.0.0.1'],
    ]) {
      expect(await checkUrl('https://receiver.test/', strict, answering(...answers))).toMatchObject({
        code: 'blocked',
      });
      const agent = createGuardedAgent(strict, answering(...answers));
      expect(await send(agent, 'https://receiver.test/')).toMatchObject({ errorClass: 'blocked_address' });
      await agent.close();
    }
  });

  it('is rejected when it does not resolve', async () => {
    const failing: Resolve = async () => {
      throw Object.assign(new Error('no'), { code: 'ENOTFOUND' });
    };
    expect(await checkUrl('https://receiver.test/', strict, failing)).toMatchObject({ code: 'dns' });
    const agent = createGuardedAgent(strict, failing);
    expect(await send(agent, 'https://receiver.test/')).toMatchObject({ errorClass: 'dns_error' });
    await agent.close();
  });

  it('of this machine is rejected', async () => {
    expect(await checkUrl('https://localhost/', strict)).toMatchObject({ code: 'blocked' });
    expect(await checkUrl('https://LOCALHOST:8443/', strict)).toMatchObject({ code: 'blocked' });
  });
});

describe('a real server on 127.0.0.1', () => {
  let port = 0;
  let connections = 0;
  const server = http.createServer((_request, response) => response.end('inside'));
  server.on('connection', () => {
    connections += 1;
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it('is not reached by a name that was public when it was saved and is private now', async () => {
    let answer = '93.184.215.14';
    const rebinding: Resolve = async () => [{ address: answer, family: 4 }];
    const url = `http://rebind.test:${port}/`;
    expect(await checkUrl(url, strict, rebinding)).toBeNull();
    answer = '127.0.0.1';
    const agent = createGuardedAgent(strict, rebinding);
    expect(await send(agent, url)).toMatchObject({ errorClass: 'blocked_address' });
    expect(connections).toBe(0);
    await agent.close();
  });

  it('is reached where the operator allows its range, also by plain http in production', async () => {
    const url = `http://inside.test:${port}/`;
    const resolve = answering('127.0.0.1');
    expect(await checkUrl(url, withLoopback, resolve)).toBeNull();
    expect(await checkUrl(`http://[::ffff:127.0.0.1]:${port}/`, withLoopback)).toBeNull();
    const agent = createGuardedAgent(withLoopback, resolve);
    expect(await send(agent, url)).toMatchObject({ succeeded: true, body: 'inside', peerAddress: '127.0.0.1' });
    expect(connections).toBe(1);
    await agent.close();
  });
});

it('plain http is rejected in production with a message that says so', async () => {
  expect(await checkUrl('http://example.com/', production, toPublic)).toMatchObject({ code: 'insecure' });
  expect(await checkUrl('https://example.com/', production, toPublic)).toBeNull();
  expect(await checkUrl('http://example.com/', strict, toPublic)).toBeNull();
  expect(await checkUrl('ftp://example.com/', strict, toPublic)).toMatchObject({ code: 'scheme' });
  const agent = createGuardedAgent(production, toPublic);
  expect(await send(agent, 'http://example.com/')).toMatchObject({ errorClass: 'blocked_address' });
  await agent.close();
});

let count = 0;
function send(agent: ReturnType<typeof createGuardedAgent>, url: string) {
  count += 1;
  const headers = { 'x-webhook-id': `wha_${count}` };
  return post(agent, { url, headers, body: Buffer.from('{}'), timeoutMs: 2000 });
}
