import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Format, FormatOptions } from '@/domain/brackets/types';
import { db } from '@/server/db';
import { routeTable } from '@/server/http/rest/routes';
import { makeApiKey } from '@/test/factories';
import { playRounds, type StartedCup, seedCup, startCup } from './cups';
import { startProduct } from './process';
import type { Result } from './run';

/** Views of each route that count, after the first one. */
const views = 5;
/** Processor time that a view may take once it was made, and what may hold up everybody else, in ms. */
const limitMs = 50;

type Measured = { cpuMs: number; blockMs: number };

async function ask(child: ChildProcess, message: 'begin' | 'end'): Promise<Measured> {
  const answered = once(child, 'message');
  child.send(message);
  const [answer] = (await answered) as [Measured];
  return answer;
}

async function measure(child: ChildProcess, work: () => Promise<void>): Promise<Measured> {
  await ask(child, 'begin');
  await work();
  return ask(child, 'end');
}

type View = { name: string; path: string; headers?: Record<string, string> };

/** Every route that anybody may read, of one tournament, and those of the data API. */
async function viewsOf({ tournament, project }: StartedCup): Promise<View[]> {
  const { id, slug } = tournament;
  const match = await db.match.findFirst({
    where: { tournamentId: id },
    select: { id: true, number: true },
    orderBy: { number: 'asc' },
  });
  const participant = await db.participant.findFirst({ where: { tournamentId: id }, select: { id: true } });
  const { key } = await makeApiKey(project.id);
  const below = (part: string) => ({ name: `/tournaments/:slug${part}`, path: `/tournaments/${slug}${part}` });
  const pages: View[] = [
    ...['', '/participants', '/rules', '/bracket', '/standings', '/matches', '/calendar.ics', '/opengraph-image'].map(
      below,
    ),
    { name: '/tournaments/:slug/matches/:match', path: `/tournaments/${slug}/matches/${match?.number}` },
    ...['embed', 'overlay', 'venue'].map((look) => ({ name: `/${look}`, path: `/${look}/tournaments/${slug}` })),
    ...['bracket', 'standings', 'matches'].map((part) => ({
      ...below(`/${part}`),
      name: `/tournaments/:slug/${part} (RSC)`,
      headers: { RSC: '1' },
    })),
  ];
  const trpc = (procedure: string, input: object): View => ({
    name: `trpc ${procedure}`,
    path: `/api/trpc/${procedure}?input=${encodeURIComponent(JSON.stringify({ json: input }))}`,
  });
  const tournamentId = id;
  const values: Record<string, string> = {
    tournamentId: id,
    matchId: match?.id ?? '',
    participantId: participant?.id ?? '',
  };
  const rest = routeTable.routes.flatMap(({ method, access, pattern }): View[] => {
    if (method !== 'GET' || !/^\/(data\/)?(tournaments\/\{|matches\/\{)/.test(pattern)) return [];
    if (access !== 'public' && access !== 'apiKey') return [];
    const [, where = ''] = pattern.split('{id}');
    const own = pattern.startsWith('/data/matches') ? (match?.id ?? '') : id;
    const path = pattern.replace('{id}', own).replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
    const limit = /matches$|participants$/.test(where || pattern) ? '?limit=100' : '';
    return [
      {
        name: `GET ${pattern}`,
        path: `/api/v1${path}${limit}`,
        ...(access === 'apiKey' ? { headers: { 'X-API-Key': key } } : {}),
      },
    ];
  });
  return [
    ...pages,
    trpc('matches.bracket', { tournamentId }),
    trpc('matches.standings', { tournamentId }),
    trpc('matches.list', { tournamentId, limit: 100 }),
    trpc('participants.list', { tournamentId, limit: 100 }),
    trpc('tournaments.get', { tournamentId }),
    ...rest,
  ];
}

async function view(url: string, { path, headers }: View): Promise<void> {
  const response = await fetch(url + path, { headers });
  const { length } = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  if (length === 0) throw new Error(`${path} answered nothing`);
}

/** Changes a row of the draw without changing anything in it, so that kept copies of it have to be made again. */
async function touch(tournamentId: string): Promise<void> {
  await db.$executeRaw`UPDATE "bracket" SET "version" = "version" + 1 WHERE "tournamentId" = ${tournamentId}`;
}

type Figures = { name: string; cold: Measured; warm: Measured };

async function measureViews({ child, url }: { child: ChildProcess; url: string }, cup: StartedCup): Promise<Figures[]> {
  const found: Figures[] = [];
  for (const one of await viewsOf(cup)) {
    // Compiles what the route needs.
    await view(url, one);
    await view(url, one);
    await touch(cup.tournament.id);
    const cold = await measure(child, () => view(url, one));
    await view(url, one);
    const warm = await measure(child, async () => {
      for (let at = 0; at < views; at += 1) await view(url, one);
    });
    found.push({ name: one.name, cold, warm: { cpuMs: warm.cpuMs / views, blockMs: warm.blockMs } });
  }
  return found;
}

type Cup = { name: string; count: number; format: Format; options?: FormatOptions; rounds: number };

const cups: Cup[] = [
  { name: 'swiss', count: 1024, format: 'swiss', rounds: 5 },
  { name: 'single', count: 1024, format: 'single_elimination', rounds: 4 },
  { name: 'double', count: 1024, format: 'double_elimination', rounds: 3 },
  { name: 'groups', count: 1024, format: 'groups_to_knockout', rounds: 3 },
  {
    name: 'largest',
    count: 1024,
    format: 'swiss',
    options: { rounds: 11, playoffs: 256, knockoutFormat: 'double_elimination' },
    rounds: 11,
  },
];

const dataOf = ({ format, options = {} }: Pick<Cup, 'format' | 'options'>) => ({
  format,
  formatOptions: options as object,
});

async function send(url: string, path: string, bearer: string, body?: unknown): Promise<Response> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: bearer, 'Content-Type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${(await response.text()).slice(0, 300)}`);
  return response;
}

/** What changes or copies a large tournament. */
async function measureChanges(
  { child, url }: { child: ChildProcess; url: string },
  played: StartedCup,
): Promise<Figures[]> {
  const found: Figures[] = [];
  const once = async (name: string, work: () => Promise<void>) => {
    found.push({ name, cold: await measure(child, work), warm: { cpuMs: 0, blockMs: 0 } });
  };
  for (const cup of cups.filter(({ name }) => name !== 'largest')) {
    const { tournament, organizer } = await seedCup(cup.count, dataOf(cup));
    await once(
      `draw ${cup.name}`,
      async () => void (await (await send(url, `/tournaments/${tournament.id}/draw`, organizer.bearer)).text()),
    );
    await once(
      `start ${cup.name}`,
      async () => void (await send(url, `/tournaments/${tournament.id}/start`, organizer.bearer, {})),
    );
  }
  const swiss = await startCup(1024, { format: 'swiss' });
  await playRounds(swiss, 4);
  const bearer = swiss.organizer.bearer;
  const open = await db.match.findMany({
    where: { tournamentId: swiss.tournament.id, status: 'ready' },
    select: { id: true, participantAId: true, participantBId: true },
  });
  const decide = async (one: (typeof open)[number], winner: 'A' | 'B' = 'A') =>
    void (await send(url, `/matches/${one.id}/resolve`, bearer, {
      winnerId: winner === 'A' ? one.participantAId : one.participantBId,
    }));
  const [first, second, ...others] = open;
  if (!first || !second) throw new Error('nothing to play');
  await once('a result, swiss', () => decide(first));
  await once('a result again, swiss', () => decide(second));
  await db.$executeRaw`SELECT 1`;
  await playAllButOne(swiss, others.at(-1)?.id ?? '');
  const last = others.at(-1);
  if (last) await once('the last result of a round, swiss', () => decide(last));
  await once(
    'a correction that draws a round again',
    async () => void (await send(url, `/matches/${first.id}/correct`, bearer, { winnerId: first.participantBId })),
  );
  await once('export, largest', async () => {
    await (await send(url, `/tournaments/${played.tournament.id}/export`, played.organizer.bearer)).text();
  });
  const nine = await startCup(1024, { format: 'swiss', formatOptions: { rounds: 9 } as object });
  await playRounds(nine, 9);
  const file = JSON.parse(
    await (await send(url, `/tournaments/${nine.tournament.id}/export`, nine.organizer.bearer)).text(),
  );
  // With every detail in it, the file is larger than a request may be.
  for (const match of file.bracket.matches) {
    for (const detail of ['startedAt', 'completedAt', 'status', 'decidedBy']) delete match[detail];
  }
  await once(
    'import of nine Swiss rounds',
    async () => void (await send(url, `/projects/${nine.project.id}/tournaments/import`, nine.organizer.bearer, file)),
  );
  await once(
    'participants as CSV',
    async () =>
      void (await (
        await send(url, `/tournaments/${nine.tournament.id}/participants/export`, nine.organizer.bearer)
      ).text()),
  );
  return found;
}

/** Plays the open round of a Swiss tournament, but for one match. */
async function playAllButOne({ tournament }: StartedCup, kept: string): Promise<void> {
  await playRounds({ tournament }, 5, kept);
}

/**
 * Every public view of large tournaments by the built product: processor time of its process, and the longest time
 * nothing else ran.
 */
export async function run(parts: string[]): Promise<Result[]> {
  const small = await startCup(8);
  await playRounds(small, 1);
  const chosen = cups.filter(({ name }) => parts.length === 0 || parts.includes(name));
  const started: { cup: Cup; cupStarted: StartedCup }[] = [];
  for (const cup of chosen) {
    const cupStarted = await startCup(cup.count, dataOf(cup));
    await playRounds(cupStarted, cup.rounds);
    started.push({ cup, cupStarted });
  }
  const product = await startProduct('./views.probe.mjs');
  const results: Result[] = [];
  try {
    const floors = new Map((await measureViews(product, small)).map((one) => [one.name, one]));
    for (const { cup, cupStarted } of started) {
      for (const { name, cold, warm } of await measureViews(product, cupStarted)) {
        const floor = floors.get(name)?.warm.cpuMs ?? 0;
        results.push({
          name: `${cup.name} ${name}; cold ${cold.cpuMs.toFixed(0)} ms, blocks ${cold.blockMs.toFixed(0)} cold, ${warm.blockMs.toFixed(0)} warm`,
          ours: warm.cpuMs,
          floor,
          unit: 'ms of processor time',
          ratio: floor / warm.cpuMs,
          aim: `${limitMs} ms`,
        });
      }
    }
    const largest = started.find(({ cup }) => cup.name === 'largest');
    if (largest) {
      const idle = await measure(product.child, async () => void (await pause(1_000)));
      for (const { name, cold } of await measureChanges(product, largest.cupStarted)) {
        results.push({
          name: `${name}; ${cold.cpuMs.toFixed(0)} ms of processor time`,
          ours: cold.blockMs,
          floor: idle.blockMs,
          unit: 'ms blocked',
          ratio: idle.blockMs / cold.blockMs,
          aim: '100 ms',
        });
      }
    }
    return results;
  } finally {
    product.child.kill();
  }
}
