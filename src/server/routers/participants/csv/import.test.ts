import { afterEach, describe, expect, test } from 'vitest';
import { env } from '@/env';
import { db } from '@/server/db';
import { factsOf, readTournamentContext } from '@/server/routers/participants/data';
import { makeMember, makeProject, makeTournament, makeUser } from '@/test/factories';
import { holdLock, someoneWaits } from '@/test/locks';
import { question } from '@/test/questions';
import { setupTestServer } from '@/test/server';
import { statementsOf } from '@/test/statements';
import { rosterMember } from '@/test/tournaments';
import { checkLines, planImport, prepareImport } from './data-import';
import type { ImportOutput } from './schema';

const server = setupTestServer();
const defaults = { ...env };
afterEach(() => void Object.assign(env, defaults));

type P = Awaited<ReturnType<typeof makeUser>>;

const rank = {
  key: 'rank',
  label: 'Rank',
  type: 'select',
  required: true,
  options: ['Gold', 'Iron'],
  visibility: 'organizers',
};
type Data = Parameters<typeof makeTournament>[1];

async function setUp(data: Data = {}) {
  const { project, owner } = await makeProject();
  const { id } = await makeTournament(project.id, data);
  const send = (path: string, csv: string, bearer = owner.bearer) =>
    server.post<ImportOutput>(`/tournaments/${id}/participants/${path}`, { bearer, body: { csv } });
  return {
    ...{ project, owner, id },
    preview: (csv: string, bearer?: string) => send('import/preview', csv, bearer),
    commit: (csv: string, bearer?: string) => send('import', csv, bearer),
  };
}
const people = (count: number) => Promise.all(Array.from({ length: count }, () => makeUser()));
const fileOf = (lines: string[]) => ['Email,Rank', ...lines].join('\n');
const taken = async (id: string) => (await db.tournament.findUniqueOrThrow({ where: { id } })).currentParticipants;
const participants = (id: string) =>
  db.participant.findMany({ where: { tournamentId: id }, orderBy: [{ waitlistOrder: 'asc' }, { id: 'asc' }] });

describe('an import', () => {
  test('previews the outcome of each line, and changes nothing', async () => {
    const { id, preview } = await setUp({ maxParticipants: 2, waitlistEnabled: true, customFields: [rank] });
    const [a, b, c, gone, again] = (await people(5)) as [P, P, P, P, P];
    await db.user.update({ where: { id: gone.id }, data: { suspendedAt: new Date() } });
    const body = { customFields: { rank: 'Iron' } };
    await server.post(`/tournaments/${id}/participants/register`, { bearer: again.bearer, body });
    const { status, body: response } = await preview(
      fileOf([
        `${a.email},Gold`,
        'nobody@players.test,Gold',
        `${gone.email},Gold`,
        `${b.email},Wood`,
        `${a.email.toUpperCase()},Iron`,
        `${again.email},Gold`,
        `${c.email},Iron`,
        ',',
        ',Gold',
        `${b.email},`,
        'not-an-address,Gold',
      ]),
    );
    expect(status).toBe(200);
    const results = response.lines.map(({ line, outcome, issues }) => [
      line,
      outcome,
      ...issues.map((each) => `${each.column}: ${each.message}`),
    ]);
    const unknown =
      'Email: There is no account with this email address, or it is not confirmed. Ask the player to sign up or to confirm the address.';
    expect(results).toEqual([
      [2, 'approved'],
      [3, null, unknown],
      [4, null, unknown],
      [5, null, 'Rank: Rank must be one of: Gold, Iron.'],
      [6, null, 'Email: Is already on line 2.'],
      [7, null, 'Email: Is already registered.'],
      [8, 'waitlisted'],
      [10, null, 'Email: Enter an email address.'],
      [11, null, 'Rank: Rank is required.'],
      [12, null, 'Email: This is not an email address.'],
    ]);
    expect(response.totals).toEqual({ lines: 10, approved: 1, waitlisted: 1, refused: 8 });
    expect(new Set(response.lines.map(({ name }) => name)), 'nobody learns whose address it is').toEqual(
      new Set([null]),
    );
    expect(await participants(id)).toHaveLength(1);
  });

  test('stays short when every answer of every line is wrong, whatever the questions are', async () => {
    const options = Array.from({ length: 50 }, (_, at) => `Choice ${at} ${'x'.repeat(100)}`);
    const customFields = Array.from({ length: 30 }, (_, at) =>
      question({ key: `q${at}`, label: `Question ${at}`, type: 'select', options }),
    );
    const { id, preview } = await setUp({ maxParticipants: 2, customFields });
    const header = ['Email', ...customFields.map(({ key }) => key)].join(',');
    const { status, body } = await preview([header, ...Array(100).fill(`a${',x'.repeat(30)}`)].join('\n'));
    expect(status).toBe(200);
    expect(body.lines[0]?.issues).toHaveLength(10);
    expect(JSON.stringify(body).length).toBeLessThan(500_000);
    expect(await participants(id)).toHaveLength(0);
  });

  test('stays short when the reasons are long, and never repeats a title that is', async () => {
    const helpText = 'h'.repeat(190);
    const customFields = Array.from({ length: 12 }, (_, at) => {
      return { ...rank, ...{ key: `q${at}`, label: `Question ${at}`, type: 'text', pattern: '[0-9]+', helpText } };
    });
    const { preview } = await setUp({ customFields });
    const header = (title: string) => [title, ...customFields.map(({ label }) => label)].join(',');
    const lines = Array.from({ length: 2_000 }, () => ['x', ...Array(12).fill('?')].join(','));
    const wrong = await preview([header('Email'), ...lines].join('\n'));
    expect(wrong.status, wrong.text.slice(0, 300)).toBe(200);
    expect(wrong.body.lines.map(({ issues }) => issues.length > 0)).toEqual(Array(2_000).fill(true));
    expect(wrong.body.lines[0]?.issues).toHaveLength(10);
    expect(wrong.text.length).toBeLessThan(2_000_000);

    const long = await preview([header(`${'-'.repeat(27_000)}email`), lines[0]].join('\n'));
    expect([long.status, long.text]).toEqual([400, expect.stringContaining('Missing: Email.')]);
  });

  test('registers the valid lines in order, with count, events and audit entries', async () => {
    const { id, commit, owner } = await setUp({ maxParticipants: 3, waitlistEnabled: true, requiresApproval: true });
    const [a, b, c, d, e] = (await people(5)) as [P, P, P, P, P];
    const lines = [a, b, c, d, e].map(({ email }) => email);
    const { body } = await commit(['e-mail', ...lines.slice(0, 2), 'x@y.test', ...lines.slice(2)].join('\r\n'));
    expect(body.totals).toEqual({ lines: 6, approved: 3, waitlisted: 2, refused: 1 });
    expect(body.lines.map((line) => line.participantId !== null)).toEqual([true, true, false, true, true, true]);
    expect(body.lines.map(({ name }) => name)).toEqual([a.name, b.name, null, c.name, d.name, e.name]);
    expect(await taken(id)).toBe(3);
    const waiting = (await participants(id)).filter((row) => row.registrationStatus === 'waitlisted');
    expect(waiting.map((row) => row.userId)).toEqual([d.id, e.id]);
    const events = await db.domainEvent.findMany({
      where: { OR: [{ payload: { path: ['tournamentId'], equals: id } }] },
      orderBy: { sequence: 'asc' },
      select: { type: true, metadata: true },
    });
    const count = (type: string) => events.filter((event) => event.type === type).length;
    expect([count('participant.registered'), count('participant.waitlisted'), count('registration.full')]).toEqual([
      5, 2, 1,
    ]);
    expect(events[0]?.metadata).toMatchObject({ actor: { id: owner.id } });
    const ids = body.lines.flatMap(({ participantId }) => participantId ?? []);
    expect(await db.auditEntry.count({ where: { targetId: { in: ids }, action: 'participant.import' } })).toBe(5);
  });

  test('registers players who cancelled again, but not rejected ones', async () => {
    const { id, commit, owner } = await setUp();
    const [left, rejected] = (await people(2)) as [P, P];
    const path = `/tournaments/${id}`;
    await server.post(`${path}/participants/register`, left);
    await server.post(`${path}/registrations/me/cancel`, left);
    await db.tournament.update({ where: { id }, data: { requiresApproval: true, version: { increment: 1 } } });
    const { body } = await server.post(`${path}/participants/register`, rejected);
    await server.patch(`${path}/registrations/${body.id}/reject`, owner);
    const imported = await commit(`email\n${left.email}\n${rejected.email}`);
    expect(imported.body.lines).toMatchObject([
      { outcome: 'approved' },
      { outcome: null, issues: [{ message: 'Was rejected. Undo the rejection on the desk instead.' }] },
    ]);
    expect(await taken(id)).toBe(1);
  });

  test('never exceeds the maximum, even with concurrent imports', async () => {
    const { id, commit } = await setUp({ maxParticipants: 10, waitlistEnabled: true });
    const all = await people(40);
    const file = (from: number) => ['email', ...all.slice(from, from + 10).map(({ email }) => email)].join('\n');
    const registering = all.slice(30).map((player) => server.post(`/tournaments/${id}/participants/register`, player));
    const answers = await Promise.all([commit(file(0)), commit(file(10)), commit(file(20)), ...registering]);
    expect(answers.every(({ status }) => status === 200 || status === 201)).toBe(true);
    const rows = await participants(id);
    expect(rows).toHaveLength(40);
    expect(rows.filter((row) => row.registrationStatus === 'approved')).toHaveLength(10);
    expect(await taken(id)).toBe(10);
  });

  test('registers teams by the email addresses of their players', async () => {
    const { id, commit } = await setUp({ teamSize: 2, rosterMin: 2, rosterMax: 3 });
    const [a, b, c, d, e] = (await people(5)) as [P, P, P, P, P];
    const { body } = await commit(
      [
        'Team,Captain email,Player emails,Substitute emails',
        `Owls,${a.email},${b.email},${c.email}`,
        `Foxes,${d.email},${b.email},`,
        `Bears,${d.email},nobody@players.test,`,
        `,${d.email},${e.email},`,
        `Cats,${d.email},,`,
        `Wolves,${d.email},${e.email} ${e.email},`,
        `Crows,${d.email},${e.email},`,
        `Owls again,${a.email},${e.email},`,
      ].join('\n'),
    );
    const results = body.lines.map(({ outcome, issues }) => [outcome, ...issues.map((each) => each.column)]);
    expect(results).toEqual([
      ['approved'],
      [null, 'Player emails'],
      [null, 'Player emails'],
      [null, 'Team'],
      [null, 'Player emails'],
      [null, 'Player emails'],
      ['approved'],
      [null, 'Captain email', 'Player emails'],
    ]);
    const roster = await db.rosterMember.findMany({ where: { tournamentId: id }, orderBy: { role: 'asc' } });
    expect(roster.map(({ userId, role }) => [role, userId]).sort()).toEqual(
      [
        ['captain', a.id],
        ['captain', d.id],
        ['player', b.id],
        ['player', e.id],
        ['substitute', c.id],
      ].sort(),
    );
    const more = await commit(`Team,Captain email,Players\nHawks,${c.email},${e.email}`);
    expect(more.body.lines[0]).toMatchObject({
      outcome: null,
      issues: [{ column: 'Captain email' }, { column: 'Players' }],
    });
  });

  test('takes players from teams whose captains named them, unless they accepted or lead them, or staff put them there', async () => {
    const { id, commit, owner } = await setUp({ teamSize: 2, rosterMin: 2, rosterMax: 5 });
    const all = (await people(9)) as [P, P, P, P, P, P, P, P, P];
    const [stranger, named, second, agreed, captain, lead, other, rival, staffed] = all;
    const path = `/tournaments/${id}`;
    const teamMembers = [stranger, named, second, agreed, lead].map((player) =>
      rosterMember(player === stranger ? 'captain' : 'player', player),
    );
    const body = { teamName: 'Squatters', teamMembers };
    const squatters = await server.post<{ id: string }>(`${path}/participants/register`, { ...stranger, body });
    expect(squatters.status, squatters.text).toBe(201);
    expect((await server.post(`${path}/registrations/me/accept`, agreed)).status).toBe(200);
    const header = 'Team,Captain email,Player emails';
    const { body: imported } = await commit(
      [
        header,
        `Owls,${captain.email},${named.email} ${second.email}`,
        `Foxes,${lead.email},${staffed.email}`,
        `Bears,${other.email},${agreed.email}`,
        `Cats,${other.email},${stranger.email}`,
      ].join('\n'),
    );
    const reason = (email: string) => [
      { column: 'Player emails', message: `${email}: already plays in this tournament.` },
    ];
    expect(imported.lines).toMatchObject([
      { outcome: 'approved', issues: [] },
      { outcome: 'approved', issues: [] },
      { outcome: null, issues: reason(agreed.email) },
      { outcome: null, issues: reason(stranger.email) },
    ]);
    const rosters = await db.rosterMember.findMany({
      where: { tournamentId: id },
      select: { userId: true, participantId: true },
    });
    const playersOf = (participantId?: string | null) =>
      rosters.flatMap((member) => (member.participantId === participantId ? member.userId : [])).sort();
    expect(playersOf(imported.lines[0]?.participantId)).toEqual([captain.id, named.id, second.id].sort());
    expect(playersOf(imported.lines[1]?.participantId)).toEqual([lead.id, staffed.id].sort());
    expect(playersOf(squatters.body.id)).toEqual([stranger.id, agreed.id].sort());
    const events = await db.domainEvent.findMany({
      where: {
        aggregateId: squatters.body.id,
        type: 'participant.updated',
        payload: { path: ['changes'], equals: ['roster'] },
      },
    });
    expect(events.map(({ metadata }) => metadata)).toMatchObject([{ actor: { id: owner.id } }]);

    const again = `${header}\nHawks,${rival.email},${staffed.email}`;
    expect((await commit(again)).body.lines).toMatchObject([{ outcome: null, issues: reason(staffed.email) }]);
    const foxes = imported.lines[1]?.participantId;
    await server.post(`${path}/participants/${foxes}/disqualify`, { ...owner, body: { reason: 'Cheating' } });
    expect((await commit(again)).body.lines).toMatchObject([{ outcome: 'approved', issues: [] }]);
  });

  test('takes nobody whose address is not confirmed: a stranger may have signed up with it', async () => {
    const { project, owner, id, preview, commit } = await setUp({ visibility: 'private' });
    const [stranger, captain] = (await people(2)) as [P, P];
    await db.user.update({ where: { id: stranger.id }, data: { emailVerifiedAt: null } });
    const nobody = 'nobody@players.test';
    const shown = (await preview(`Email\n${stranger.email}\n${nobody}`)).body.lines;
    expect([shown[0]?.name, shown[0]?.outcome, shown[0]?.issues]).toEqual([null, null, shown[1]?.issues]);
    expect((await commit(`Email\n${stranger.email}`)).body.totals).toMatchObject({ approved: 0, refused: 1 });
    expect((await server.get(`/tournaments/${id}`, stranger)).status).toBe(404);

    const team = await makeTournament(project.id, { teamSize: 2, rosterMin: 2, rosterMax: 3 });
    const header = 'Team,Captain email,Player emails,Substitute emails';
    const lines = [
      `Owls,${stranger.email},${captain.email},`,
      `Owls,${captain.email},${stranger.email},`,
      `Owls,${captain.email},${owner.email},${stranger.email}`,
    ];
    const body = { csv: [header, ...lines].join('\n') };
    const imported = await server.post<ImportOutput>(`/tournaments/${team.id}/participants/import`, { ...owner, body });
    expect(imported.body.lines.map(({ outcome, issues }) => [outcome, issues[0]?.column])).toEqual([
      [null, 'Captain email'],
      [null, 'Player emails'],
      [null, 'Substitute emails'],
    ]);
    expect(await participants(team.id)).toHaveLength(0);
  });

  test('needs an organizer, a time before the start, and a valid file', async () => {
    const { project, id, preview, commit } = await setUp();
    const moderator = await makeMember(project.id, 'MODERATOR');
    const other = await makeProject();
    expect(await preview('email\n', moderator.bearer)).toMatchObject({ status: 403, reason: 'FORBIDDEN' });
    expect(await commit('email\n', other.owner.bearer)).toMatchObject({ status: 403, reason: 'FORBIDDEN' });
    expect(await commit('name\nAda')).toMatchObject({ status: 400, reason: 'VALIDATION_FAILED' });
    await db.tournament.update({ where: { id }, data: { status: 'IN_PROGRESS' } });
    expect(await commit('email\n')).toMatchObject({ status: 409, reason: 'INVALID_STATE' });
  });

  test('has a template', async () => {
    const { id, owner } = await setUp({ customFields: [rank] });
    const { importTemplate } = server.trpc(owner.bearer).participants;
    expect(await importTemplate.query({ tournamentId: id })).toEqual({ csv: '"Email","Rank"\r\n' });
  });
});

test('the answers of a long file are checked in many rounds of the event loop', async () => {
  const rounds = new Set<number>();
  let [round, done] = [0, false];
  const count = () => {
    round += 1;
    if (!done) setImmediate(count);
  };
  count();
  const row = { answers: {} };
  // Each line asks for it.
  Object.defineProperty(row, 'answers', { get: () => rounds.add(round) && {} });
  const checked = await checkLines([question()], Array(2_000).fill(row));
  done = true;
  expect(checked).toHaveLength(2_000);
  expect(rounds.size).toBeGreaterThanOrEqual(500);
});

test('a file is read before the tournament is locked, and not imported when the questions change meanwhile', async () => {
  const { id, owner } = await setUp();
  const context = async () => {
    const tournament = await readTournamentContext(id);
    return { tournament, facts: factsOf(tournament, new Date()) };
  };
  const prepared = await prepareImport(await context(), { csv: 'Email\nx@y.test', askedById: owner.id });
  const plan = async () => planImport(db, await context(), prepared);
  expect((await plan()).lines).toHaveLength(1);
  await db.tournament.update({ where: { id }, data: { customFieldsVersion: { increment: 1 } } });
  await expect(plan()).rejects.toMatchObject({ reason: 'INVALID_STATE' });
});

test('an import that waits keeps no other of the same account waiting', async () => {
  const { project, owner, commit } = await setUp();
  const other = await makeTournament(project.id);
  const [held, free] = (await people(2)) as [P, P];
  const release = await holdLock('SELECT 1 FROM "user" WHERE "id" = $1 FOR UPDATE', [held.id]);
  const waits = commit(`Email\n${held.email}`);
  await someoneWaits();
  const path = `/tournaments/${other.id}/participants/import`;
  const imported = await server.post(path, { bearer: owner.bearer, body: { csv: `Email\n${free.email}` } });
  expect(imported.status, imported.text).toBe(200);
  expect(await taken(other.id)).toBe(1);
  await release();
  expect((await waits).status).toBe(200);
});

test('an import takes any number of players from other teams with the same statements', async () => {
  const statementsWith = async (count: number) => {
    const { id, commit } = await setUp({ teamSize: 2, rosterMin: 2, rosterMax: 9 });
    const captains = await people(count + 1);
    const named = await people(count);
    for (const [at, player] of named.entries()) {
      const captain = captains[at] as P;
      const teamMembers = [rosterMember('captain', captain), rosterMember('player', player)];
      const body = { teamName: `Squatters ${at}`, teamMembers };
      expect((await server.post(`/tournaments/${id}/participants/register`, { ...captain, body })).status).toBe(201);
    }
    const emails = named.map(({ email }) => email).join(' ');
    const csv = `Team,Captain email,Player emails\nOwls,${captains[count]?.email},${emails}`;
    const statements = await statementsOf(async () => {
      expect((await commit(csv)).body.totals).toMatchObject({ approved: 1, refused: 0 });
    });
    const where = { type: 'participant.updated', payload: { path: ['tournamentId'], equals: id } };
    expect(await db.domainEvent.count({ where })).toBe(count);
    return statements.length;
  };
  expect(await statementsWith(8)).toBe(await statementsWith(1));
});

test('nobody finds out with imports which of many addresses have an account', async () => {
  env.IMPORTED_ADDRESSES_PER_USER_PER_DAY = 3;
  const [first, second] = [await setUp(), await setUp()];
  const [a, b] = (await people(2)) as [P, P];
  const file = (...emails: string[]) => ['Email', ...emails].join('\n');
  expect((await first.preview(file(a.email, a.email.toUpperCase(), 'nobody@players.test'))).status).toBe(200);
  expect(await first.preview(file(a.email, b.email))).toMatchObject({ status: 429, reason: 'QUOTA_EXCEEDED' });
  expect(await first.commit(file(a.email, b.email))).toMatchObject({ status: 429, reason: 'QUOTA_EXCEEDED' });
  expect(await taken(first.id)).toBe(0);
  expect((await first.commit(file(b.email))).status).toBe(200);
  expect((await second.preview(file(a.email, b.email))).status).toBe(200);
});
