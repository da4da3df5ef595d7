import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { isTimeZone } from '@/domain/time/time';
import { db } from '@/server/db';
import { makeProject, makeTournament, makeUser } from '@/test/factories';

const migration = 'prisma/migrations/20261128164000_iana_time_zones/migration.sql';

const names = [
  ...['ACT', 'AET', 'AGT', 'ART', 'AST', 'BET', 'BST', 'CAT', 'CNT', 'CST', 'CTT', 'EAT', 'ECT', 'IET', 'IST', 'JST'],
  ...['MIT', 'NET', 'NST', 'PLT', 'PNT', 'PRT', 'PST', 'SST', 'VST', 'US/Pacific-New', 'Canada/East-Saskatchewan'],
  ...['SystemV/AST4', 'SystemV/AST4ADT', 'SystemV/EST5', 'SystemV/EST5EDT', 'SystemV/CST6', 'SystemV/CST6CDT'],
  ...['SystemV/MST7', 'SystemV/MST7MDT', 'SystemV/PST8', 'SystemV/PST8PDT', 'SystemV/YST9', 'SystemV/YST9YDT'],
  ...['SystemV/HST10'],
];

/** The offsets of a zone in winter and summer: when summer begins, `SystemV/` has by laws that are no more. */
const offsets = (timeZone: string) => {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  return [0, 6].map((month) => format.format(Date.UTC(2027, month, 15)));
};

test("names of ICU's own become the zone that ICU means by them, and no other zone changes", async () => {
  const { project } = await makeProject();
  const user = await makeUser();
  const all = [...names, ...names.map((name) => name.toLowerCase()), 'America/Coyhaique', 'us/pacific', 'EST'];
  const rows = await Promise.all(all.map((timezone) => makeTournament(project.id, { timezone })));
  await db.user.update({ where: { id: user.id }, data: { timezone: 'bSt' } });

  const client = new Client({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  await client.query(await readFile(migration, 'utf8')).finally(() => client.end());

  for (const before of rows) {
    const after = await db.tournament.findUniqueOrThrow({ where: { id: before.id } });
    const has = isTimeZone(before.timezone);
    expect(isTimeZone(after.timezone), before.timezone).toBe(true);
    expect(offsets(after.timezone), before.timezone).toEqual(offsets(before.timezone));
    expect([after.timezone === before.timezone, after.version - before.version]).toEqual(has ? [true, 0] : [false, 1]);
    expect(after.updatedAt > before.updatedAt).toBe(!has);
  }
  expect((await db.user.findUniqueOrThrow({ where: { id: user.id } })).timezone).toBe('Asia/Dhaka');
});
