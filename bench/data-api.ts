import autocannon from 'autocannon';
import { makeApiKey, makeProject, makeTournament } from '@/test/factories';
import { playRounds, startCup } from './cups';
import { startSides } from './process';
import type { Result } from './run';

const connections = 16;
/** Requests of one key in one round: below the enterprise plan's limit per minute. */
const requests = 5_500;
const rounds = 5;
/** Rounds that warm up both sides and are not counted. */
const warmUps = 3;

/** Responses per second; anything but 200 fails the measurement. */
async function measure(url: string, headers: Record<string, string>, amount: number): Promise<number> {
  const begin = performance.now();
  const result = await autocannon({ url, headers, connections, amount, sampleInt: 20 });
  const seconds = (performance.now() - begin) / 1000;
  if (result['2xx'] !== amount) throw new Error(`${url} answered ${result['2xx']} of ${amount} with 200`);
  return amount / seconds;
}

const middle = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

type Sides = { ours: { url: string }; floor: { url: string } };

/** The median of five rounds of each side, in turn. Each round has its own key. */
async function compare(sides: Sides, projectId: string, path: string, amount: number) {
  const ours: number[] = [];
  const floor: number[] = [];
  for (let round = -warmUps; round < rounds; round += 1) {
    const { key } = await makeApiKey(projectId);
    const rates = [
      await measure(sides.floor.url + path, {}, amount),
      await measure(sides.ours.url + path, { 'X-API-Key': key }, amount),
    ];
    if (round < 0) continue;
    floor.push(rates[0] ?? 0);
    ours.push(rates[1] ?? 0);
  }
  const result = { ours: middle(ours), floor: middle(floor) };
  return { ratio: result.ours / result.floor, ...result, unit: 'requests/s' };
}

/**
 * `GET /api/v1/data/tournaments/{id}`, and its bracket of 256, with key, scope, rate limit and validation over 16
 * connections, against bare Node with one prepared query.
 */
export async function run(): Promise<Result[]> {
  const { project } = await makeProject({ plan: 'enterprise' });
  const { id } = await makeTournament(project.id, { description: 'Weekly cup. '.repeat(20) });
  const cup = await startCup(256);
  await playRounds(cup, 8);
  const sides = await startSides('./data-api.server.ts');
  try {
    const one = await compare(sides, project.id, `/api/v1/data/tournaments/${id}`, requests);
    const path = `/api/v1/data/tournaments/${cup.tournament.id}/bracket`;
    const bracket = await compare(sides, cup.project.id, path, 300);
    return [
      { name: 'data API read', ...one, aim: 'ratio 0.80' },
      { name: 'data API, bracket of 256', ...bracket, aim: 'ratio 0.50' },
    ];
  } finally {
    sides.ours.child.kill();
    sides.floor.child.kill();
  }
}
