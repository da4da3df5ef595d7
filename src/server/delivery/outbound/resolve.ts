import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { env } from '@/env';
import { Allowance } from '@/server/limits/allowance';

/**
 * Addresses of a name.
 * @param owner on whose behalf it is asked, such as a project; whoever has the name's domain where nobody is named
 * @throws Error with a resolver's code; `OwnResolverError` when none of our name servers answers
 */
export type Resolve = (hostname: string, owner?: string) => Promise<{ address: string; family: number }[]>;

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

/**
 * What reading a record of an answer takes, in ms, where its name is long; ordinary answers have a few. And what reading one takes
 * that is malformed: it may have as many, and nobody knows. An answer that takes so long is used again for many times as long.
 */
const costly = { recordMs: 0.01, ordinaryRecords: 16, malformedMs: 20, ms: 4, keptTimes: 200, mostMs: 60_000 };

/** What reading an answer took beyond what it takes anyway. */
function costOf(answered: Answered): number {
  if ('code' in answered) return /^E(FORMERR|BADRESP)$/.test(answered.code) ? costly.malformedMs : 0;
  return Math.max(0, answered.records - costly.ordinaryRecords) * costly.recordMs;
}

/**
 * How long costly answers for one owner may take to read at once, and which share of the time in the long run. After that, a
 * thread for all such owners reads what is asked for it: dozens of new names a second would take the whole of one.
 */
const reading = { atOnceMs: 100, share: 1 / 500 };
/** Of that thread, which gets a third of a processor that another wants, too. */
const slowNiceness = 3;

type Question = 'resolve4' | 'resolve6' | 'resolveNs';
/** `records`: how many addresses the answer had, of which few are used. */
type Answered = { addresses: string[]; records: number } | { code: string };

// A source of its own, so that it needs no file in the bundle.
const asking = `
  const { Resolver } = require('node:dns/promises');
  const { getPriority, setPriority } = require('node:os');
  const { parentPort, workerData } = require('node:worker_threads');
  // Elsewhere this would be the priority of the whole process.
  if (workerData.niceness > 0 && process.platform === 'linux') setPriority(Math.min(getPriority() + workerData.niceness, 19));
  const resolver = new Resolver(workerData.timeouts);
  if (workerData.servers) resolver.setServers(workerData.servers);
  const answer = (id, answered) => parentPort.postMessage({ id, answered });
  const ask = async ({ question, name }) => resolver[question](name);
  parentPort.on('message', (asked) => ask(asked).then(
    (found) => answer(asked.id, { addresses: found.slice(0, workerData.maxAddresses), records: found.length }),
    (error) => answer(asked.id, { code: error?.code ?? 'EAI_FAIL' }),
  ));`;

/**
 * Asks name servers in a thread of its own: whoever owns a name decides what its answer contains, and reading 64 KiB of records
 * takes up to 30 milliseconds, for which everything else in this thread would wait.
 */
function createAsk(
  servers: string[] | undefined,
  niceness = 0,
): (question: Question, name: string) => Promise<Answered> {
  const waiting = new Map<number, (answered: Answered) => void>();
  let thread: Worker | null = null;
  let asked = 0;

  function start(): Worker {
    const workerData = { servers, timeouts, maxAddresses, niceness };
    const started = new Worker(asking, { eval: true, execArgv: [], workerData });
    started.on('message', ({ id, answered }: { id: number; answered: Answered }) => {
      waiting.get(id)?.(answered);
      waiting.delete(id);
    });
    started.on('error', () => undefined);
    started.on('exit', () => {
      thread = null;
      for (const answer of waiting.values()) answer({ code: 'EAI_FAIL' });
      waiting.clear();
    });
    started.unref();
    return started;
  }

  return (question, name) =>
    new Promise((resolve) => {
      thread ??= start();
      asked += 1;
      waiting.set(asked, resolve);
      thread.postMessage({ id: asked, question, name });
    });
}

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

/** The last two labels of a name, which its owner decides about but for a few that countries share. */
const domainOf = (hostname: string): string => hostname.replace(/\.$/, '').split('.').slice(-2).join('.');

/**
 * Resolves names without the threads that file access and password hashing share, so that names whose servers hang delay
 * nothing else. Concurrent calls for the same name share one look-up, and later ones too while a costly one is kept.
 * @param servers name servers, such as `192.0.2.1:53`; those of the system by default
 */
export function createResolve({ servers, file = hostsFile }: { servers?: string[]; file?: string } = {}): Resolve {
  const [askInQuick, askInSlow] = [createAsk(servers), createAsk(servers, slowNiceness)];
  const read = new Allowance(reading);
  const hosts = createHosts(file);
  /** By thread: who waits for one of them must not wait for the other. */
  const inFlightOf = new Map<typeof askInQuick, Map<string, ReturnType<Resolve>>>();
  let answeredAt = Number.NEGATIVE_INFINITY;

  async function ask(askServers: typeof askInQuick, question: Question, name: string): Promise<Answered> {
    const answered = await askServers(question, name);
    if ('addresses' in answered || isAnswer(answered.code)) answeredAt = performance.now();
    return answered;
  }

  /** Whether a name server answers at all, so that a question without an answer is the fault of the name. */
  async function works(): Promise<boolean> {
    if (performance.now() - answeredAt < answeredWithinMs) return true;
    const root = await ask(askInQuick, 'resolveNs', '.');
    return 'addresses' in root || isAnswer(root.code);
  }

  /** @param askFor asks for addresses of the name; one answer may come after the look-up has ended */
  async function lookUp(hostname: string, askFor: (question: Question) => Promise<Answered>): ReturnType<Resolve> {
    const local = await hosts(hostname);
    if (local.length > 0) return local.map((address) => ({ address, family: isIP(address) }));
    // Reserved: no name server knows it.
    if (/(^|\.)invalid\.?$/i.test(hostname)) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    const second = askFor('resolve6');
    const first = await askFor('resolve4');
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

  return (hostname, owner = domainOf(hostname)) => {
    const askServers = read.isSpent(owner) ? askInSlow : askInQuick;
    const inFlight = inFlightOf.get(askServers) ?? new Map<string, ReturnType<Resolve>>();
    inFlightOf.set(askServers, inFlight);
    const shared = inFlight.get(hostname);
    if (shared) return shared;
    let [isOver, isFound, unanswered, keptMs] = [false, false, 0, 0];
    function forget(): void {
      if (!isOver || unanswered > 0) return;
      if (keptMs === 0 || !isFound) inFlight.delete(hostname);
      else setTimeout(() => inFlight.delete(hostname), Math.min(keptMs, costly.mostMs)).unref();
    }
    async function askFor(question: Question): Promise<Answered> {
      unanswered += 1;
      const answered = await ask(askServers, question, hostname);
      unanswered -= 1;
      const tookMs = costOf(answered);
      if (tookMs > 0) read.spend(owner, tookMs);
      if (tookMs >= costly.ms) keptMs += tookMs * costly.keptTimes;
      forget();
      return answered;
    }
    const pending = lookUp(hostname, askFor);
    const end = (found: boolean) => {
      [isOver, isFound] = [true, found];
      forget();
    };
    pending.then(
      () => end(true),
      () => end(false),
    );
    inFlight.set(hostname, pending);
    return pending;
  };
}

const ofInstance = env.WEBHOOK_NAME_SERVERS.length > 0 ? { servers: env.WEBHOOK_NAME_SERVERS } : {};

/** For deliveries. */
export const resolveName = createResolve(ofInstance);

/** For checks: whatever people enter as a URL, and health checks. They have questions of their own under way. */
export const resolveForCheck = createResolve(ofInstance);
