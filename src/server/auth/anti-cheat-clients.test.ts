import { afterAll, expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { mintClientToken, resolveClient } from '@/server/auth/anti-cheat-clients';
import { closeDatabase, db } from '@/server/db';
import { makeProject, makeUser } from '@/test/factories';
import { statementsOf } from '@/test/statements';

afterAll(() => closeDatabase());

test('a flood of client tokens that do not exist takes few statements, and no place of one that does', async () => {
  const { project } = await makeProject();
  const { id: userId } = await makeUser();
  const { token, tokenHash } = mintClientToken();
  const client = { id: newId('acl'), projectId: project.id, userId, tokenHash };
  await db.antiCheatClient.create({ data: client });
  const unknown = Array.from({ length: 500 }, () => mintClientToken().token);
  let found: Awaited<ReturnType<typeof resolveClient>>[] = [];
  const statements = await statementsOf(async () => {
    found = await Promise.all([...unknown, token].map(resolveClient));
  });
  expect(found.filter((one) => one !== null)).toEqual([client]);
  expect(statements.length).toBeGreaterThan(0);
  expect(statements.length).toBeLessThanOrEqual(10);
});
