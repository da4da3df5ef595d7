import { expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { db } from '@/server/db';
import { stepsOfProject } from '@/server/events/project-turn';
import { makeApiKey, makeProject, makeTournament } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { changeInTurn, changesOfCaller, changesOfNetwork, readInTurn } from './turns';

const api = setupTestServer();
const readsOfAccount = 4;
const readsOfBlock = 5;

/** A project with a tournament and a key, created from a block of addresses. */
async function makeReader(createdFrom = newId('prj')) {
  const made = await makeProject();
  const project = await db.project.update({ where: { id: made.project.id }, data: { createdFrom } });
  const { id } = await makeTournament(project.id);
  const { key: apiKey } = await makeApiKey(project.id);
  return { steps: stepsOfProject(project), apiKey, tournament: `/data/tournaments/${id}` };
}

/** Holds turns until the function that is returned is called. */
async function hold(count: number, take: (at: number, work: () => Promise<void>) => Promise<void>) {
  const ends: (() => void)[] = [];
  const held = Array.from({ length: count }, (_, at) =>
    take(at, () => new Promise<void>((resolve) => ends.push(resolve))),
  );
  await expect.poll(() => ends.length).toBe(count);
  return async () => {
    for (const end of ends) end();
    await Promise.all(held);
  };
}

test('reads with keys of one project wait for each other, and not for those of another or what shares a statement', async () => {
  const [one, other] = await Promise.all([makeReader(), makeReader()]);
  const turn = { ip: '198.51.100.40', caller: '', project: one.steps };
  const end = await hold(readsOfAccount, (_, work) => readInTurn(turn, work));
  let status = 0;
  const waiting = api.get('/data/tournaments', { apiKey: one.apiKey }).then((answer) => {
    status = answer.status;
  });
  for (let count = 0; count < 10; count += 1) {
    expect((await api.get('/data/tournaments', { apiKey: other.apiKey })).status).toBe(200);
    expect((await api.get(one.tournament, { apiKey: one.apiKey })).status).toBe(200);
  }
  expect(status).toBe(0);
  await end();
  await waiting;
  expect(status).toBe(200);
});

test('so do changes with keys', async () => {
  const [one, other] = await Promise.all([makeReader(), makeReader()]);
  const end = await hold(changesOfNetwork, (at, work) => {
    const caller = `key ${Math.floor(at / changesOfCaller)}`;
    return changeInTurn({ ip: '198.51.100.40', caller, project: one.steps }, work);
  });
  const start = ({ apiKey }: { apiKey: string }) => api.post('/anti-cheat/sessions', { apiKey, body: {} });
  let status = 0;
  const waiting = start(one).then((answer) => {
    status = answer.status;
  });
  for (let count = 0; count < 10; count += 1) expect((await start(other)).status).toBe(400);
  expect(status).toBe(0);
  await end();
  await waiting;
  expect(status).toBe(400);
});

test('reads with keys of projects that were created from one block wait for each other, and not those of another', async () => {
  const block = newId('prj');
  const [one, second, other] = await Promise.all([makeReader(block), makeReader(block), makeReader()]);
  const end = await hold(readsOfBlock, (at, work) => {
    const project = [block, `account ${at % 2}`, `project ${at}`] as const;
    return readInTurn({ ip: `198.51.100.${at}`, caller: 'key', project }, work);
  });
  const statuses: number[] = [];
  const waiting = [one, second].map(async ({ apiKey }) => {
    statuses.push((await api.get('/data/tournaments', { apiKey })).status);
  });
  for (let count = 0; count < 10; count += 1) {
    expect((await api.get('/data/tournaments', { apiKey: other.apiKey })).status).toBe(200);
  }
  expect(statuses).toEqual([]);
  await end();
  await Promise.all(waiting);
  expect(statuses).toEqual([200, 200]);
});
