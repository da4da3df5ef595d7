import { expect, test } from 'vitest';
import { env } from '@/env';
import { Prisma } from '@/generated/prisma/client';
import { db } from '@/server/db';
import { makeMember, makeProject, makeTournament, makeUser } from '@/test/factories';
import { holdLock, someoneWaits } from '@/test/locks';
import { setupTestServer } from '@/test/server';

const server = setupTestServer();

const rank = {
  key: 'rank',
  label: 'Rank',
  type: 'select',
  required: false,
  options: ['Gold', 'Iron'],
  visibility: 'organizers',
} as const;
const tag = { key: 'tag', label: 'Tag', type: 'text', required: false, visibility: 'organizers' } as const;

/** A published tournament that asks for rank and tag; one participant answered both, one neither. */
async function setup() {
  const { project, owner } = await makeProject();
  const { id } = await makeTournament(project.id, { customFields: [rank, tag] });
  const [ada, bo] = [await makeUser(), await makeUser()];
  const path = `/tournaments/${id}/participants/register`;
  await server.post(path, { bearer: ada.bearer, body: { customFields: { rank: 'Iron', tag: 'ada' } } });
  await server.post(path, { bearer: bo.bearer });
  const change = (customFields: unknown[]) =>
    server.patch<{ customFieldsVersion: number; questionWarnings: unknown[] }>(`/tournaments/${id}`, {
      bearer: owner.bearer,
      body: { customFields },
    });
  return { project, owner, id, ada, change, trpc: server.trpc(owner.bearer).tournaments.questions };
}

test('a change after publication creates a version, keeps the previous one, and warns about affected answers', async () => {
  const { id, ada, change, trpc } = await setup();
  const next = [{ ...rank, options: ['Gold'], required: true }];
  const warnings = [
    { key: 'tag', label: 'Tag', changes: ['removed'], answered: 1, unfit: 0 },
    { key: 'rank', label: 'Rank', changes: ['options', 'required'], answered: 1, unfit: 2 },
  ];
  expect(await trpc.preview.mutate({ tournamentId: id, customFields: next })).toEqual({ warnings });
  expect(await db.tournament.findUniqueOrThrow({ where: { id } })).toMatchObject({ customFieldsVersion: 1 });

  const saved = await change(next);
  expect(saved).toMatchObject({ status: 200, body: { customFieldsVersion: 2, questionWarnings: warnings } });
  expect(await trpc.versions.query({ tournamentId: id })).toEqual([
    { version: 1, definitions: [rank, tag] },
    { version: 2, definitions: next },
  ]);
  const mine = await server.get(`/tournaments/${id}/registrations/me`, ada);
  expect(mine.body).toMatchObject({ customFields: { rank: 'Iron', tag: 'ada' }, customFieldsVersion: 1 });
});

test('a change that affects no answers has no warnings, and no change creates no version', async () => {
  const { id, change } = await setup();
  expect((await change([tag, { ...rank, options: ['Gold', 'Iron', 'Wood'] }])).body).toMatchObject({
    customFieldsVersion: 2,
    questionWarnings: [],
  });
  expect((await change([tag, { ...rank, options: ['Gold', 'Iron', 'Wood'] }])).body.customFieldsVersion).toBe(2);
  expect(await db.customFieldSet.count({ where: { tournamentId: id } })).toBe(1);
});

test('while the answers are checked, the tournament is not locked, and what is checked anew replaces what others saved', async () => {
  const { id, change } = await setup();
  const release = await holdLock('LOCK TABLE participant IN ACCESS EXCLUSIVE MODE');
  const mine = change([{ ...rank, label: 'Division' }, tag]);
  await someoneWaits();
  const asked = [rank, { ...tag, label: 'Handle' }];
  const saveOthers = Prisma.sql`UPDATE tournament SET "customFields" = ${JSON.stringify(asked)}::jsonb WHERE id = ${id}
    AND id IN (SELECT id FROM tournament WHERE id = ${id} FOR UPDATE NOWAIT)`;
  expect(await db.$executeRaw(saveOthers)).toBe(1);
  await release();
  expect((await mine).body.questionWarnings).toEqual([
    { key: 'rank', label: 'Rank', changes: ['label'], answered: 1, unfit: 0 },
    { key: 'tag', label: 'Handle', changes: ['label'], answered: 1, unfit: 0 },
  ]);
});

test('the questions of a draft have one version', async () => {
  const { project, owner } = await makeProject();
  const { id } = await makeTournament(project.id, { status: 'DRAFT', publishedAt: null, customFields: [rank] });
  const body = { customFields: [tag] };
  expect(await server.patch(`/tournaments/${id}`, { bearer: owner.bearer, body })).toMatchObject({
    body: { customFieldsVersion: 1, questionWarnings: [] },
  });
  expect(await db.customFieldSet.count({ where: { tournamentId: id } })).toBe(0);
  const preview = { tournamentId: id, customFields: [] };
  expect(await server.trpc(owner.bearer).tournaments.questions.preview.mutate(preview)).toEqual({ warnings: [] });
});

test('a question keeps its type while anyone is registered', async () => {
  const { change } = await setup();
  expect(await change([rank])).toMatchObject({ status: 200 });
  expect(await change([rank, { ...tag, type: 'number' }])).toMatchObject({ status: 409, reason: 'FIELD_LOCKED' });
  expect(await change([rank, { ...tag, label: 'Tag again' }])).toMatchObject({ status: 200 });
});

test('preview needs permission to change the tournament, versions permission to read participants', async () => {
  const { project, id } = await setup();
  const moderator = server.trpc((await makeMember(project.id, 'MODERATOR')).bearer).tournaments.questions;
  const member = server.trpc((await makeMember(project.id, 'MEMBER')).bearer).tournaments.questions;
  await expect(moderator.preview.mutate({ tournamentId: id, customFields: [] })).rejects.toMatchObject({
    data: { reason: 'FORBIDDEN' },
  });
  expect(await moderator.versions.query({ tournamentId: id })).toHaveLength(1);
  await expect(member.versions.query({ tournamentId: id })).rejects.toMatchObject({ data: { reason: 'FORBIDDEN' } });
});

test('invalid patterns and duplicate choices are refused', async () => {
  const { id, change, trpc } = await setup();
  const broken = [{ ...tag, pattern: '(' }];
  await expect(trpc.preview.mutate({ tournamentId: id, customFields: broken })).rejects.toMatchObject({
    data: { reason: 'VALIDATION_FAILED' },
  });
  expect(await change(broken)).toMatchObject({ status: 400, reason: 'VALIDATION_FAILED' });
  expect(await change([{ ...rank, options: ['Gold', 'Gold'] }])).toMatchObject({ status: 400 });
});

test('versions that nobody has answered make room, and those that were answered are limited', async () => {
  const { id, ada, change, trpc } = await setup();
  const limit = env.QUESTION_VERSIONS_PER_TOURNAMENT;
  Object.assign(env, { QUESTION_VERSIONS_PER_TOURNAMENT: 3 });
  try {
    const ask = (label: string) => change([{ ...tag, label, visibility: 'public' }]);
    for (let count = 0; count < 8; count += 1) expect(await ask(`Tag ${count}`)).toMatchObject({ status: 200 });
    expect(await db.customFieldSet.count({ where: { tournamentId: id } })).toBeLessThanOrEqual(3);
    const kept = await trpc.versions.query({ tournamentId: id });
    expect(kept[0]).toEqual({ version: 1, definitions: [rank, tag] });

    const players = [ada, await makeUser(), await makeUser()];
    const answers = [];
    for (const [index, { bearer }] of players.entries()) {
      const options = { bearer, body: { customFields: { tag: `answer ${index}` } } };
      const answer =
        index === 0
          ? await server.patch(`/tournaments/${id}/registrations/me`, options)
          : await server.post(`/tournaments/${id}/participants/register`, options);
      answers.push(answer.status);
      await ask(`Asked ${index}`);
    }
    expect(answers).toEqual([200, 201, 201]);
    expect(await ask('One more')).toMatchObject({ status: 409, reason: 'QUOTA_EXCEEDED' });
    const list = await server.get(`/tournaments/${id}/participants`);
    expect(list.text.match(/"answer \d"/g)).toHaveLength(3);
  } finally {
    Object.assign(env, { QUESTION_VERSIONS_PER_TOURNAMENT: limit });
  }
});

test('all questions together have a length that fifty versions of them can be read with', async () => {
  const { change } = await setup();
  const long = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      ...rank,
      key: `q${at}`,
      options: Array.from({ length: 50 }, (_, option) => `${option} ${'x'.repeat(100)}`),
    }));
  expect((await change(long(10))).status).toBe(200);
  expect(await change(long(15))).toMatchObject({ status: 400, reason: 'VALIDATION_FAILED' });
});
