import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { db } from '@/server/db';
import { callAs, type StartedCup, startCup } from './cups';
import { percentiles, type Times } from './latency';
import { startSides } from './process';
import type { Result } from './run';

const watchers = 1_000;
const changes = 20;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Follows a stream of events and calls back with every part of its text. */
function follow(agent: http.Agent, url: string, onText: (text: string) => void): Promise<http.ClientRequest> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { agent, headers: { accept: 'text/event-stream' } }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`a stream answered ${response.statusCode}`));
      response.setEncoding('utf8').on('data', onText);
      response.on('error', () => undefined);
      resolve(request);
    });
    request.on('error', reject);
  });
}

/** Opens the streams, makes the changes one by one, and measures how long each takes to reach each watcher. */
async function measure(url: string, change: (index: number) => Promise<string>): Promise<Times> {
  const agent = new http.Agent({ maxSockets: Number.POSITIVE_INFINITY });
  const times: number[] = [];
  let open = 0;
  let expected = '';
  let begin = 0;
  let reached = 0;
  const streams: http.ClientRequest[] = [];
  for (let index = 0; index < watchers; index += 1) {
    let tail = '';
    let ready = false;
    let seen = '';
    streams.push(
      await follow(agent, url, (text) => {
        tail = (tail + text).slice(-20_000);
        if (!ready && tail.includes('live.resumed')) {
          ready = true;
          open += 1;
        }
        if (expected === '' || seen === expected || !tail.includes(expected)) return;
        seen = expected;
        reached += 1;
        times.push(performance.now() - begin);
      }),
    );
  }
  while (open < watchers) await pause(20);
  for (let index = 0; index < changes; index += 1) {
    reached = 0;
    expected = '\u0000';
    begin = performance.now();
    expected = await change(index);
    while (reached < watchers) await pause(5);
  }
  for (const stream of streams) stream.destroy();
  agent.destroy();
  return percentiles(times);
}

/** Statements about the bracket that the server has run so far. */
async function readsOf(child: ChildProcess): Promise<number> {
  child.send('reads');
  const [count] = (await once(child, 'message')) as [number];
  return count;
}

async function readyMatches({ tournament }: StartedCup) {
  return db.match.findMany({
    where: { tournamentId: tournament.id, status: 'ready' },
    select: { id: true, participantAId: true },
    orderBy: { number: 'asc' },
    take: changes,
  });
}

/**
 * 1,000 pages watch one bracket of 256 in one process, and 20 results come in: from the call that reports one to the notice
 * with the new match in each stream. The floor is bare Node that writes as many bytes to as many streams.
 */
export async function run(): Promise<Result[]> {
  const cup = await startCup(256);
  const matches = await readyMatches(cup);
  const moderator = callAs(cup.organizer.bearer);
  const input = encodeURIComponent(JSON.stringify({ json: { tournamentId: cup.tournament.id } }));
  // All of them come from one network here.
  const sides = await startSides('./watchers.server.ts', {
    LOG_LEVEL: 'warn',
    LIVE_STREAMS_PER_NETWORK: String(watchers * 2),
  });
  try {
    const floor = await measure(sides.floor.url, async (index) => {
      const word = `"change-${index}."`;
      sides.floor.child.send(word);
      return word;
    });
    let before = 0;
    const ours = await measure(`${sides.ours.url}/api/trpc/tournaments.live?input=${input}`, async (index) => {
      const match = matches[index];
      if (!match) throw new Error('no match left');
      if (index === 0) before = await readsOf(sides.ours.child);
      await moderator.matches.resolve({ matchId: match.id, winnerId: match.participantAId ?? '' });
      return `{\\"id\\":\\"${match.id}\\"`;
    });
    const reads = (await readsOf(sides.ours.child)) - before;
    return (['p50', 'p99'] as const).map((share) => ({
      name: `a result to ${watchers} watchers, ${(reads / changes).toFixed(2)} queries per change`,
      ours: ours[share],
      floor: floor[share],
      unit: `ms (${share})`,
      ratio: floor[share] / ours[share],
      aim: share === 'p99' ? '1000 ms' : '',
    }));
  } finally {
    sides.ours.child.kill();
    sides.floor.child.kill();
  }
}
