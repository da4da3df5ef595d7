import { expect, test } from 'vitest';
import { db, pool } from '@/server/db';
import { type Cup, readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import { setupTestServer } from '@/test/server';
import { watchStatements } from '@/test/statements';

const api = setupTestServer();

/** Ten thousand decided matches of others, and as many substitutions, in a hundred tournaments of the same project and game. */
async function makeOthersMatches(tournamentId: string, of: { projectId: string; gameId: string }) {
  await db.$executeRaw`
    UPDATE "match" SET "decidedBy" = 'result', "status" = 'completed', "completedAt" = now()
    WHERE "tournamentId" = ${tournamentId}`;
  await db.$executeRaw`
    INSERT INTO "tournament" SELECT (jsonb_populate_record(t, ${JSON.stringify(of)}::jsonb
      || jsonb_build_object('id', t."id" || n, 'slug', t."slug" || n))).*
    FROM "tournament" t, generate_series(1, 100) n WHERE t."id" = ${tournamentId}`;
  await db.$executeRaw`
    INSERT INTO "bracket" SELECT (jsonb_populate_record(b, jsonb_build_object('tournamentId', b."tournamentId" || n))).*
    FROM "bracket" b, generate_series(1, 100) n WHERE b."tournamentId" = ${tournamentId}`;
  await db.$executeRaw`
    INSERT INTO "match" SELECT (jsonb_populate_record(m, jsonb_build_object(
      'id', m."id" || n || '.' || k, 'tournamentId', m."tournamentId" || n, 'number', k))).*
    FROM "match" m, generate_series(1, 100) n, generate_series(1, 100) k WHERE m."tournamentId" = ${tournamentId}`;
  await db.$executeRaw`
    INSERT INTO "roster_change" ("id", "tournamentId", "participantId", "outUserId", "inUserId", "role", "reason", "actorId")
    SELECT 'rch_' || p."id" || n, p."tournamentId", p."id", 'usr_out' || n, 'usr_in' || n, 'player', 'Ill', 'usr_in' || n
    FROM "participant" p, generate_series(1, 5000) n WHERE p."tournamentId" = ${tournamentId}`;
  for (const table of ['tournament', 'match', 'participant', 'roster_change']) await pool.query(`ANALYZE "${table}"`);
}

/** The first match of a cup, and what decides and reopens it. */
async function firstMatch({ tournamentId, moderator }: Cup) {
  const [match] = await readMatches(api, tournamentId);
  const send = async (action: 'resolve' | 'reopen', body: object = {}) => {
    const answer = await api.post(`/matches/${match?.id}/${action}`, { bearer: moderator.bearer, body });
    expect(answer.status, answer.text).toBe(200);
  };
  const decide = () => send('resolve', { winnerId: match?.slots[0].participantId });
  return { match, decide, reopen: () => send('reopen') };
}

test('taking a result back and leaving a roster read what the players have played, and nothing of others', async () => {
  const [cup, others] = [await startCup(api, 4), await startCup(api, 2)];
  const { projectId, gameId } = await db.tournament.findUniqueOrThrow({ where: { id: cup.tournamentId } });
  await makeOthersMatches(others.tournamentId, { projectId, gameId });
  const { decide, reopen } = await firstMatch(cup);
  await decide();
  const [place] = cup.participantIds;
  const common = { participantId: place ?? '', tournamentId: cup.tournamentId, userId: cup.stranger.id };
  await db.participant.update({ where: { id: place }, data: { type: 'team' } });
  await db.rosterMember.create({ data: { ...common, role: 'player', addedById: cup.organizer.id } });

  const sent = await watchStatements(async () => {
    await reopen();
    const answer = await api.post(`/tournaments/${cup.tournamentId}/registrations/me/leave`, cup.stranger);
    expect(answer.status, answer.text).toBe(200);
  });
  const counted = sent.filter(({ text }) => text.includes('"player_stats" s SET'));
  const searched = sent.filter(({ text }) => text.includes('WHERE x."outUserId" = ANY'));
  expect([counted.length, searched.length]).toEqual([2, 2]);
  for (const { text, values } of [...counted, ...searched]) {
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).not.toMatch(/Seq Scan on (match|roster_change x)\b/);
  }
});

test('taking a result back reads the substitutions of a participant once, however many matches it has played', async () => {
  const cup = await startCup(api, 2);
  const { match, decide, reopen } = await firstMatch(cup);
  await decide();
  // The copies are of another tournament, so that the bracket of this one stays as it is.
  await db.$executeRaw`
    INSERT INTO "tournament" SELECT (jsonb_populate_record(t, jsonb_build_object('id', t."id" || '+', 'slug', t."slug" || '+'))).*
    FROM "tournament" t WHERE t."id" = ${cup.tournamentId}`;
  await db.$executeRaw`
    INSERT INTO "bracket" SELECT (jsonb_populate_record(b, jsonb_build_object('tournamentId', b."tournamentId" || '+'))).*
    FROM "bracket" b WHERE b."tournamentId" = ${cup.tournamentId}`;
  await db.$executeRaw`
    INSERT INTO "match" SELECT (jsonb_populate_record(m, jsonb_build_object(
      'id', m."id" || k, 'tournamentId', m."tournamentId" || '+', 'number', k))).*
    FROM "match" m, generate_series(1, 40) k WHERE m."id" = ${match?.id}`;
  await db.$executeRaw`
    INSERT INTO "roster_change" ("id", "tournamentId", "participantId", "outUserId", "inUserId", "role", "reason", "actorId")
    SELECT 'rch_' || p."id" || n, p."tournamentId", p."id", ${cup.stranger.id}, ${cup.organizer.id}, 'player', 'Ill', ${cup.organizer.id}
    FROM "participant" p, generate_series(1, 20) n WHERE p."tournamentId" = ${cup.tournamentId}`;

  const sent = await watchStatements(reopen);
  const [counted, ...more] = sent.filter(({ text }) => text.includes('"player_stats" s SET'));
  expect(more).toEqual([]);
  const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ANALYZE ${counted?.text}`, counted?.values);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  const reads = [...plan.matchAll(/ on roster_change h .*loops=(\d+)/g)].map(([, loops]) => Number(loops));
  expect(reads, plan).toEqual([2]);
});
