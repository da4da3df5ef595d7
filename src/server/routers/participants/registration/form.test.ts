import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { makeProject, makeTournament, makeUser } from '@/test/factories';
import { question } from '@/test/questions';
import { setupTestServer } from '@/test/server';
import { statementsOf } from '@/test/statements';
import { readFormQuestions } from './data-form';

const server = setupTestServer();

type Form = {
  fields: { key: string; order: number }[];
  customFieldsVersion: number;
  outcome: string | null;
  refusal: { code: string } | null;
  full: boolean;
  bodySchema: { required?: string[]; properties: Record<string, unknown> };
};
const formOf = (id: string, bearer?: string, query = '') =>
  server.get<Form>(`/tournaments/${id}/registration/form${query}`, { bearer });

const questions = [
  { key: 'rank', label: 'Rank', type: 'select', required: true, options: ['Gold', 'Iron'], visibility: 'public' },
  {
    key: 'tag',
    label: 'Tag',
    type: 'text',
    required: false,
    pattern: '[a-z]+',
    helpText: 'Lower case.',
    visibility: 'organizers',
  },
];

test('returns the questions and the schema of the body', async () => {
  const { project } = await makeProject();
  const tournament = await makeTournament(project.id, { customFields: questions });
  const { status, body } = await formOf(tournament.slug);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    tournamentId: tournament.id,
    type: 'individual',
    team: null,
    fields: [
      { ...questions[0], order: 1 },
      { ...questions[1], order: 2 },
    ],
    customFieldsVersion: 1,
    registrationOpen: true,
    closesAt: tournament.startDate.toISOString(),
    full: false,
    outcome: 'approved',
    refusal: null,
    bodySchema: {
      type: 'object',
      required: ['customFields'],
      properties: { customFields: { type: 'object', required: ['rank'] } },
    },
  });
  expect(body.bodySchema.properties).not.toHaveProperty('teamMembers');
});

test('returns the roster limits', async () => {
  const { project } = await makeProject();
  const tournament = await makeTournament(project.id, { teamSize: 5, rosterMin: 5, rosterMax: 7 });
  const { body } = await formOf(tournament.id);
  expect(body).toMatchObject({
    type: 'team',
    team: { teamSize: 5, rosterMin: 5, rosterMax: 7, roles: ['captain', 'player', 'substitute'] },
    bodySchema: {
      anyOf: [{ required: ['teamName', 'teamMembers'] }, { required: ['teamId'] }],
      properties: { teamMembers: { type: 'array', minItems: 5, maxItems: 7 }, teamId: { type: 'string' } },
    },
  });
  expect(body.bodySchema.required ?? []).toEqual([]);
});

test('returns the outcome of a registration, or why it would be refused', async () => {
  const { project } = await makeProject();
  const make = async (data: Parameters<typeof makeTournament>[1]) => {
    const { id } = await makeTournament(project.id, data);
    const { body } = await formOf(id);
    return body.outcome ?? body.refusal?.code;
  };
  const full = { maxParticipants: 2, currentParticipants: 2 };
  const past = new Date(Date.now() - 60_000);
  expect(await make({ requiresApproval: true })).toBe('pending');
  expect(await make({ ...full, waitlistEnabled: true })).toBe('waitlisted');
  expect(await make(full)).toBe('TOURNAMENT_FULL');
  expect(await make({ registrationClosesAt: past })).toBe('REGISTRATION_CLOSED');
  expect(await make({ status: 'IN_PROGRESS' })).toBe('REGISTRATION_CLOSED');
});

test('refuses an unknown version of the questions', async () => {
  const { project } = await makeProject();
  const { id } = await makeTournament(project.id);
  expect(await formOf(id, undefined, '?version=99')).toMatchObject({ status: 404 });
  expect(await formOf(id, undefined, `?version=${2 ** 40}`)).toMatchObject({ status: 400 });
});

test('drafts and private tournaments are only visible to members', async () => {
  const { project, owner } = await makeProject();
  const draft = await makeTournament(project.id, { status: 'DRAFT', publishedAt: null });
  const hidden = await makeTournament(project.id, { visibility: 'private' });
  const stranger = await makeUser();
  for (const { id } of [draft, hidden]) {
    expect(await formOf(id)).toMatchObject({ status: 404, reason: 'NOT_FOUND' });
    expect(await formOf(id, stranger.bearer)).toMatchObject({ status: 404, reason: 'NOT_FOUND' });
    expect(await formOf(id, owner.bearer)).toMatchObject({ status: 200 });
  }
  expect(await formOf(draft.id, 'Bearer nonsense')).toMatchObject({ status: 401 });
});

test('an earlier version of the questions stays readable', async () => {
  const { project } = await makeProject();
  const tournament = await makeTournament(project.id, { customFields: [], customFieldsVersion: 2 });
  const data = { tournamentId: tournament.id, version: 1, definitions: questions, createdById: project.id };
  await db.customFieldSet.create({ data });
  expect((await formOf(tournament.id)).body).toMatchObject({ fields: [], customFieldsVersion: 2 });
  expect((await formOf(tournament.id, undefined, '?version=1')).body).toMatchObject({
    fields: [{ key: 'rank' }, { key: 'tag' }],
    customFieldsVersion: 1,
    currentCustomFieldsVersion: 2,
  });
  expect(await formOf(tournament.id, undefined, '?version=3')).toMatchObject({ status: 404 });
});

/** Statements that read questions, of the tournament or of an earlier version. */
const readsOf = (texts: string[]) => texts.filter((text) => /"definitions"|"customFields"/.test(text));

test('the questions of a form are read and made into a schema once, however many versions there are', async () => {
  const { project } = await makeProject();
  const versions = Array.from({ length: 120 }, (_, index) => index + 1);
  const last = versions.length + 1;
  const tournament = await makeTournament(project.id, { customFields: questions, customFieldsVersion: last });
  const { id } = tournament;
  await db.customFieldSet.createMany({
    data: versions.map((version) => {
      const definitions = [question({ label: `Question ${version}` })];
      return { tournamentId: id, version, definitions, createdById: project.id };
    }),
  });
  const readAll = () => Promise.all([...versions, last].map((version) => readFormQuestions(db, tournament, version)));
  const first = await readAll();
  expect(first[7]).toMatchObject({
    fields: [{ label: 'Question 8', order: 1 }],
    bodySchema: { properties: { customFields: { properties: { q: { title: 'Question 8' } } } } },
  });
  const texts = await statementsOf(async () => {
    const again = await readAll();
    expect(again.filter((form, index) => form !== first[index])).toEqual([]);
    for (const query of ['', '?version=8']) {
      const { body } = await formOf(id, undefined, query);
      expect([body.fields, body.bodySchema]).toEqual(Object.values(first[query === '' ? last - 1 : 7] ?? {}));
    }
  });
  expect(readsOf(texts)).toEqual([]);
  // One that has made room for others is gone, though its form is kept.
  await db.customFieldSet.delete({ where: { tournamentId_version: { tournamentId: id, version: 8 } } });
  expect(await formOf(id, undefined, '?version=8')).toMatchObject({ status: 404 });
});

test('a form shows a change of the questions or the roster limits at once, in drafts, too', async () => {
  const { project, owner } = await makeProject();
  const teams = { teamSize: 5, rosterMin: 5, rosterMax: 7 };
  for (const publishedAt of [null, new Date()]) {
    const status = publishedAt === null ? 'DRAFT' : 'PUBLISHED';
    const { id } = await makeTournament(project.id, { ...teams, status, publishedAt, customFields: [] });
    const change = async (body: object) => {
      expect((await server.patch(`/tournaments/${id}`, { bearer: owner.bearer, body })).status).toBe(200);
    };
    const shown = async () => {
      const { fields, bodySchema, customFieldsVersion } = (await formOf(id, owner.bearer)).body;
      const { teamMembers, customFields } = bodySchema.properties as Record<
        string,
        { maxItems: number; required?: [] }
      >;
      return [customFieldsVersion, fields.map(({ key }) => key), customFields?.required, teamMembers?.maxItems];
    };
    const raised = publishedAt === null ? 0 : 1;
    expect(await shown()).toEqual([1, [], undefined, 7]);
    await change({ customFields: questions });
    expect(await shown()).toEqual([1 + raised, ['rank', 'tag'], ['rank'], 7]);
    await change({ rosterMax: 8 });
    expect(await shown()).toEqual([1 + raised, ['rank', 'tag'], ['rank'], 8]);
    await change({ customFields: questions.slice(1) });
    expect(await shown()).toEqual([1 + 2 * raised, ['tag'], undefined, 8]);
    await change({ customFields: questions });
    expect(await shown()).toEqual([1 + 3 * raised, ['rank', 'tag'], ['rank'], 8]);
  }
});

test('what a draft asked is not kept for when it is published', async () => {
  const { project, owner } = await makeProject();
  const { id } = await makeTournament(project.id, { status: 'DRAFT', publishedAt: null, customFields: questions });
  expect((await formOf(id, owner.bearer)).body.fields).toHaveLength(2);
  const change = { bearer: owner.bearer, body: { customFields: [] } };
  expect((await server.patch(`/tournaments/${id}`, change)).status).toBe(200);
  expect((await server.post(`/tournaments/${id}/publish`, { bearer: owner.bearer })).status).toBe(200);
  expect((await formOf(id)).body).toMatchObject({ fields: [], customFieldsVersion: 1 });
});

test('a registration has the version of its answers', async () => {
  const { project } = await makeProject();
  const tournament = await makeTournament(project.id, { customFields: questions, customFieldsVersion: 4 });
  const player = await makeUser();
  const path = `/tournaments/${tournament.id}/participants/register`;
  const wrong = await server.post(path, { bearer: player.bearer, body: { customFields: { rank: 'Gold', tag: 'A' } } });
  expect(wrong.body).toMatchObject({
    error: {
      code: 'VALIDATION_FAILED',
      issues: [{ path: 'customFields.tag', message: 'Tag does not have the right format: Lower case.' }],
    },
  });
  const right = await server.post(path, {
    bearer: player.bearer,
    body: { customFields: { rank: 'Gold', tag: ' a ' } },
  });
  expect(right).toMatchObject({
    status: 201,
    body: { customFields: { rank: 'Gold', tag: 'a' }, customFieldsVersion: 4 },
  });
});

test('answers are public if their question is public and was public when answered', async () => {
  const { project, owner } = await makeProject();
  const [first, closed = {}] = questions;
  const open = { ...first, required: false };
  const { id } = await makeTournament(project.id, { customFields: [open, closed] });
  const path = `/tournaments/${id}`;
  const shown = async () => {
    const { body } = await server.get<{ items: { publicAnswers?: object }[] }>(`${path}/participants`);
    return body.items.map((item) => item.publicAnswers);
  };
  const answers = { customFields: { rank: 'Gold', tag: 'secret' } };
  await server.post(`${path}/participants/register`, { bearer: (await makeUser()).bearer, body: answers });
  expect(await shown()).toEqual([{ rank: 'Gold' }]);

  const ask = (customFields: unknown[]) => server.patch(path, { bearer: owner.bearer, body: { customFields } });
  await ask([open, { ...closed, visibility: 'public' }]);
  await server.post(`${path}/participants/register`, { bearer: (await makeUser()).bearer, body: answers });
  expect(await shown()).toEqual([{ rank: 'Gold' }, { rank: 'Gold', tag: 'secret' }]);

  await ask([
    { ...open, visibility: 'organizers' },
    { ...closed, visibility: 'public' },
  ]);
  expect(await shown()).toEqual([{}, { tag: 'secret' }]);
  await ask([]);
  expect(await shown()).toEqual([undefined, undefined]);
});

test('answers to public questions are for organizers while nobody has confirmed the address of the account', async () => {
  const { project, owner } = await makeProject();
  const [first] = questions;
  const { id } = await makeTournament(project.id, { customFields: [{ ...first, type: 'text', options: undefined }] });
  const path = `/tournaments/${id}/participants`;
  const list = async (bearer?: string) => {
    const { body } = await server.get<{ items: { publicAnswers?: object; customFields?: object }[] }>(path, { bearer });
    return body.items;
  };
  const customFields = { rank: 'Visit evil.test' };
  const [stranger, other] = [await makeUser(), await makeUser()];
  await db.user.update({ where: { id: stranger.id }, data: { emailVerifiedAt: null } });
  const shown = async () => [...(await list()), ...(await list(other.bearer))];
  const registered = await server.post(`${path}/register`, { bearer: stranger.bearer, body: { customFields } });
  expect(registered.status).toBe(201);
  expect((await shown()).map(({ publicAnswers }) => publicAnswers)).toEqual([{}, {}]);
  expect(await list(owner.bearer)).toMatchObject([{ customFields }]);
  await db.user.update({ where: { id: stranger.id }, data: { emailVerifiedAt: new Date() } });
  expect((await shown()).map(({ publicAnswers }) => publicAnswers)).toEqual([customFields, customFields]);
});
