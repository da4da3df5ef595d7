import { pool } from '@/server/db';
import { handleRest } from '@/server/http/rest/handler';
import { statementsOf } from '@/test/statements';
import { playRounds, startCup } from './cups';
import { inTurn } from './latency';
import type { Result } from './run';

const rounds = 200;

/** One request, without a socket: routing, checks, statement, validation, JSON, ETag. */
async function read(path: string): Promise<string> {
  const request = { method: 'GET', path: `/api/v1${path}`, query: '', headers: {}, ip: '127.0.0.1' };
  const response = await handleRest({ ...request, readBody: async () => Buffer.alloc(0) });
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${response.body}`);
  return String(response.body);
}

/** The floor of a read: the same rows by one prepared statement, and JSON. */
function floorOf(tournamentId: string): () => Promise<string> {
  const text = `SELECT json_agg(m ORDER BY m."number") AS matches FROM "match" m WHERE m."tournamentId" = $1`;
  return async () => {
    const { rows } = await pool.query({ name: 'bench_matches', text, values: [tournamentId] });
    return JSON.stringify(rows[0]);
  };
}

async function inProcess(name: string, path: string, tournamentId: string, limitMs?: number): Promise<Result[]> {
  const statements = (await statementsOf(() => read(path))).length;
  const { ours, floor } = await inTurn(rounds, () => read(path), floorOf(tournamentId));
  return (['p50', 'p99'] as const).map((share) => ({
    name: `${name}, ${statements} statement${statements === 1 ? '' : 's'}`,
    ours: ours[share],
    floor: floor[share],
    unit: `ms (${share})`,
    ratio: floor[share] / ours[share],
    aim: share === 'p50' && limitMs !== undefined ? `${limitMs} ms` : '',
  }));
}

/** `GET …/bracket` of 256, `GET …/matches`, and `GET …/standings` of 1,024, in this process. */
export async function run(): Promise<Result[]> {
  const bracket = await startCup(256);
  await playRounds(bracket, 8);
  const { id } = bracket.tournament;
  const swiss = await startCup(1024, { format: 'swiss' });
  await playRounds(swiss, 3);
  const { id: swissId } = swiss.tournament;
  return [
    ...(await inProcess('bracket of 256', `/tournaments/${id}/bracket`, id, 15)),
    ...(await inProcess('100 matches of 256', `/tournaments/${id}/matches`, id)),
    ...(await inProcess('standings of 1,024', `/tournaments/${swissId}/standings`, swissId)),
  ];
}
