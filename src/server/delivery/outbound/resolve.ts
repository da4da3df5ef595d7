import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { env } from '@/env';

/**
 * Addresses of a name.
 * @throws Error with a resolver's code; `OwnResolverError` when none of our name servers answers
 */
export type Resolve = (hostname: string) => Promise<{ address: string; family: number }[]>;

/** Our own name servers do not answer: nothing is known about the name. */
export class OwnResolverError extends Error {
  readonly code = 'EAI_AGAIN';
  constructor() {
    super('The name servers of this instance do not answer');
    this.name = 'OwnResolverError';
  }
}

/** For one question to one name server; then it is asked once more. */
const timeouts = { timeout: 700, tries: 2 };
/**
 * c-ares gives up all questions of such a time at the same moment. Their look-ups end spread over as long again, so
 * that what follows from a hundred of them holds nothing else up.
 */
const spreadMs = timeouts.timeout;
/** Addresses of one family that are used: an answer may hold thousands, and each is checked and may be tried. */
const maxAddresses = 8;
/** How long an answer about IPv6 is waited for once there is one about IPv4. */
const secondFamilyMs = 50;
/** An answer to any question since then shows that our name servers work. */
const answeredWithinMs = 5_000;
const hostsFile = '/etc/hosts';
const hostsMs = 10_000;

type Answered = { addresses: string[] } | { code: string };

/** Codes of answers: the name server was reached, and said that there is no such name or that it cannot know. */
const isAnswer = (code: string) => /^(ENOTFOUND|ENODATA|ESERVFAIL|EREFUSED|EFORMERR|EBADNAME)$/.test(code);

/** What the hosts file of the machine says about names, which name servers do not know. */
function createHosts(file: string): (hostname: string) => Promise<string[]> {
  let readAt = Number.NEGATIVE_INFINITY;
  let names = new Map<string, string[]>();
  return async (hostname) => {
    if (performance.now() - readAt > hostsMs) {
      readAt = performance.now();
      const read = new Map<string, string[]>([['localhost', ['127.0.0.1', '::1']]]);
      for (const line of (await readFile(file, 'utf8').catch(() => '')).split('\n')) {
        const [address = '', ...aliases] = (line.split('#')[0] ?? '').trim().split(/\s+/);
        if (!isIP(address)) continue;
        for (const alias of aliases) read.set(alias.toLowerCase(), [...(read.get(alias.toLowerCase()) ?? []), address]);
      }
      names = read;
    }
    return names.get(hostname.toLowerCase().replace(/\.$/, '')) ?? [];
  };
}

/**
 * Resolves names without the threads that file access and password hashing share, so that names whose servers hang delay
 * nothing else. Concurrent calls for the same name share one look-up.
 * @param servers name servers, such as `192.0.2.1:53`; those of the system by default
 */
export function createResolve({ servers, file = hostsFile }: { servers?: string[]; file?: string } = {}): Resolve {
  const resolver = new Resolver(timeouts);
  if (servers) resolver.setServers(servers);
  const hosts = createHosts(file);
  const inFlight = new Map<string, ReturnType<Resolve>>();
  let answeredAt = Number.NEGATIVE_INFINITY;

  async function ask(question: Promise<string[]>): Promise<Answered> {
    try {
      const addresses = await question;
      answeredAt = performance.now();
      return { addresses: addresses.slice(0, maxAddresses) };
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'EAI_FAIL';
      if (isAnswer(code)) answeredAt = performance.now();
      return { code };
    }
  }

  /** Whether a name server answers at all, so that a question without an answer is the fault of the name. */
  async function works(): Promise<boolean> {
    if (performance.now() - answeredAt < answeredWithinMs) return true;
    const root = await ask(resolver.resolveNs('.').then(() => []));
    return 'addresses' in root || isAnswer(root.code);
  }

  async function lookUp(hostname: string): ReturnType<Resolve> {
    const local = await hosts(hostname);
    if (local.length > 0) return local.map((address) => ({ address, family: isIP(address) }));
    // Reserved: no name server knows it.
    if (/(^|\.)invalid\.?$/i.test(hostname)) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    const second = ask(resolver.resolve6(hostname));
    const first = await ask(resolver.resolve4(hostname));
    const found = 'addresses' in first ? first.addresses : [];
    const more = await (found.length > 0 ? Promise.race([second, pause(secondFamilyMs, null)]) : second);
    const all = [...found, ...(more && 'addresses' in more ? more.addresses : [])];
    if (all.length > 0) return all.map((address) => ({ address, family: isIP(address) }));
    const code = 'code' in first ? first.code : 'ENODATA';
    if (isAnswer(code)) throw Object.assign(new Error('no such name'), { code });
    if (!(await works())) throw new OwnResolverError();
    await pause(Math.random() * spreadMs);
    throw Object.assign(new Error('the name servers of this name do not answer'), { code: 'EAI_TIMEOUT' });
  }

  return (hostname) => {
    const shared = inFlight.get(hostname);
    if (shared) return shared;
    const pending = lookUp(hostname).finally(() => inFlight.delete(hostname));
    inFlight.set(hostname, pending);
    return pending;
  };
}

const ofInstance = env.WEBHOOK_NAME_SERVERS.length > 0 ? { servers: env.WEBHOOK_NAME_SERVERS } : {};

/** For deliveries. */
export const resolveName = createResolve(ofInstance);

/** For checks: whatever people enter as a URL, and health checks. They have questions of their own under way. */
export const resolveForCheck = createResolve(ofInstance);
