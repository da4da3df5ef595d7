import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { closeDatabase, db, pool } from '@/server/db';
import { claimEmails, claimStatement } from '@/server/email/claims';

beforeEach(() => db.$executeRaw`TRUNCATE outgoing_mail`);
afterAll(() => closeDatabase());

type Due = { turns: number; each: number; blocks: number; domain?: string };
/** Has emails due, so many in each turn to recipients of so many blocks. */
const makeDue = ({ turns, each, blocks, domain = 'far.test' }: Due) => db.$executeRaw`
  INSERT INTO outgoing_mail (id, recipient, kind, "sourceId", "causedBy", "recipientFrom", "contentEncrypted", "dueAt")
  SELECT 'eml_' || t || '_' || n, 'a' || n || '@' || ${domain}, 'update', 'prj_' || t, 'turn ' || t, 'block ' || n % ${blocks}::int,
    repeat('x', 500), now() - n * interval '1 ms'
  FROM generate_series(1, ${turns}::int) t, generate_series(1, ${each}::int) n`;
const makeSent = (count: number) => db.$executeRaw`
  INSERT INTO outgoing_mail (id, recipient, kind, "sourceId", "causedBy", "recipientFrom", "sentAt")
  SELECT 'eml_sent_' || n, 'a' || n || '@players.test', 'update', 'prj_' || n % 300, 'turn ' || n % 300, 'block ' || n % 360, now()
  FROM generate_series(1, ${count}::int) n`;

const shares = { free: 9, asked: 5, caused: 8, each: 4, underWay: {} };
const paces = {
  late: { names: ['slow.test'], asked: 1, caused: 1 },
  unknown: { prompt: ['players.test'], wellKnown: ['players.test'], asked: 2, caused: 5 },
};
const full = { full: ['unknown to block 0'], served: [] };

type Node = Record<string, number> & { Plans?: Node[] };
const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
/** Rows that the busiest node of the claim's plan makes or leaves out, in all its loops. */
async function mostRows(askers = full) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { text, values } = claimStatement({ ...shares, ...paces, askers }, null);
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
      `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`,
      values,
    );
    const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
    if (!plan) throw new Error('no plan');
    const rowsOf = (node: Node) =>
      ['Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Join Filter', 'Rows Removed by Index Recheck'].reduce(
        (sum, key) => sum + (node[key] ?? 0) * (node['Actual Loops'] ?? 0),
        0,
      );
    return Math.max(...nodesOf(plan).map(rowsOf));
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

test.each([0, 100_000])(
  'a claim looks at few rows, although statistics say that nothing is due, with %i sent',
  async (sent) => {
    await makeSent(sent);
    await db.$executeRaw`ANALYZE outgoing_mail`;
    for (const domain of ['players.test', 'far.test', 'slow.test']) {
      await makeDue({ turns: 1, each: 2_000, blocks: 360, domain });
      expect([domain, await mostRows()]).toEqual([domain, expect.toSatisfy((most: number) => most < 10_000)]);
      await db.outgoingMail.deleteMany({ where: { sentAt: null } });
    }
  },
);

describe.each(['players.test', 'far.test', 'slow.test'])('at %s', (domain) => {
  test.each([
    ['one block in one turn', { turns: 1, each: 10_000, blocks: 1 }],
    ['one block in many turns', { turns: 60, each: 200, blocks: 1 }],
    ['many blocks in many turns', { turns: 300, each: 40, blocks: 40 }],
    ['more turns than are looked at', { turns: 2_000, each: 5, blocks: 5 }],
  ] as const)('a claim looks at few rows of what is due to %s', async (_, due) => {
    await makeSent(10_000);
    await db.$executeRaw`ANALYZE outgoing_mail`;
    await makeDue({ ...due, domain });
    expect(await mostRows()).toBeLessThan(5_000);
    await db.$executeRaw`ANALYZE outgoing_mail`;
    expect(await mostRows()).toBeLessThan(5_000);
  });
});

test.each([1, 300, 2_000])('a claim looks at few rows of what %i blocks have asked for', async (blocks) => {
  await makeSent(10_000);
  await db.$executeRaw`ANALYZE outgoing_mail`;
  await db.$executeRaw`
    INSERT INTO outgoing_mail (id, recipient, kind, "askedBy", "contentEncrypted", "dueAt")
    SELECT 'eml_' || n, 'a' || n || '@far-' || n % 6 || '.test', 'verify_email', 'block ' || n % ${blocks}::int, repeat('x', 500), now()
    FROM generate_series(1, 20000) n`;
  expect(await mostRows()).toBeLessThan(5_000);
  await db.$executeRaw`ANALYZE outgoing_mail`;
  expect(await mostRows()).toBeLessThan(5_000);
});

type At = { turn?: number; behind?: string };
/** Has an email due to a player, now or as long as another one is. */
const player = (at: string, recipientFrom: string, { turn = 7, behind = '' }: At = {}) => db.$executeRaw`
  INSERT INTO outgoing_mail (id, recipient, kind, "sourceId", "causedBy", "recipientFrom", "contentEncrypted", "dueAt")
  VALUES (${`eml_${at}`}, ${`player@${at}`}, 'update', 'prj_7', ${`turn ${turn}`}, ${recipientFrom}, 'x',
    coalesce((SELECT "dueAt" FROM outgoing_mail WHERE id = ${behind}), now()))`;
const claim = async (unknown = paces.unknown) =>
  (await claimEmails({ ...shares, ...paces, unknown, askers: full })).map(({ recipient }) => recipient).sort();

test('a block at its limit in the turns of many hides no other behind it', async () => {
  await makeDue({ turns: 60, each: 200, blocks: 1 });
  for (const [at, block] of [
    ['players.test', 'home'],
    ['small.test', 'school'],
  ] as const)
    await player(at, block, { behind: 'eml_7_100' });
  expect(await claim()).toEqual(['player@players.test', 'player@small.test']);
});

test('a known domain is found among more blocks of more turns than a claim looks at', async () => {
  await makeDue({ turns: 300, each: 20, blocks: 20 });
  await player('players.test', 'home', { behind: 'eml_7_10' });
  const none = { ...paces.unknown, asked: 0, caused: 0 };
  let claimed: string[] = [];
  for (let count = 0; count < 300 && claimed.length === 0; count += 1) claimed = await claim(none);
  expect(claimed).toEqual(['player@players.test']);
  // What is due since a moment ago is found at once.
  await player('new.players.test', 'home');
  expect(await claim(none)).toEqual(['player@new.players.test']);
});

test('each block of each turn is found among more turns than a claim looks at', async () => {
  await makeDue({ turns: 1_000, each: 4, blocks: 1 });
  // By their hashes, a claim does not come to this turn from any value from which it would come first to this block.
  await player('players.test', 'club', { turn: 21, behind: 'eml_21_2' });
  let claimed: string[] = [];
  for (let count = 0; count < 100 && claimed.length === 0; count += 1) claimed = await claim();
  expect(claimed).toEqual(['player@players.test']);
});

test('what alone is due is found at once among more turns than a claim looks at', async () => {
  await makeDue({ turns: 4_000, each: 1, blocks: 1 });
  await db.$executeRaw`UPDATE outgoing_mail SET "dueAt" = now() + interval '1 hour'`;
  for (const at of ['one', 'two', 'three', 'four', 'five'].map((name) => `${name}.players.test`)) {
    await player(at, 'home');
    expect(await claim()).toEqual([`player@${at}`]);
  }
});
