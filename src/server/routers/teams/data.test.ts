import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { Prisma } from '@/generated/prisma/client';
import { db } from '@/server/db';
import { makeTeam, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { receivedSql } from './data';

const api = setupTestServer();

type Page = { items: { id: string; team: { id: string } }[]; total: number; hasNext: boolean };

test('of everybody who invites a player, the latest invitation is listed before the next of anybody', async () => {
  const inviters = await Promise.all(Array.from({ length: 4 }, () => makeUser()));
  const expiresAt = new Date(Date.now() + 3_600_000);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(inviters.length - 1), { maxLength: 24 }),
      fc.integer({ min: 1, max: 9 }),
      async (order, limit) => {
        const player = await makeUser();
        const teams = order.map(() => ({ id: newId('tem'), name: 'Owls' }));
        await db.team.createMany({ data: teams });
        const invitations = order.map((inviter, at) => ({
          id: newId('tiv'),
          teamId: teams[at]?.id ?? '',
          invitedById: inviters[inviter]?.id ?? '',
          // Some at the same time, some to their address.
          createdAt: new Date(Date.UTC(2026, 0, 1, 0, Math.trunc(at / 2))),
          ...(at % 3 === 0 ? { email: player.email } : { userId: player.id }),
          role: 'player' as const,
          expiresAt,
        }));
        await db.teamInvitation.createMany({ data: invitations });
        const latestFirst = invitations.toSorted(
          (a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1),
        );
        const placeOf = (one: (typeof invitations)[number]) =>
          latestFirst.filter(({ invitedById }) => invitedById === one.invitedById).indexOf(one);
        const expected = latestFirst.toSorted((a, b) => placeOf(a) - placeOf(b)).map(({ id }) => id);

        const listed: string[] = [];
        for (let page = 1, more = true; more; page += 1) {
          const { body } = await api.get<Page>(`/me/team-invitations?limit=${limit}&page=${page}`, player);
          expect(body.total).toBe(order.length);
          listed.push(...body.items.map(({ id }) => id));
          more = body.hasNext;
        }
        expect(listed).toEqual(expected);
      },
    ),
    { numRuns: 12 },
  );
});

test('hundreds of invitations by strangers do not hide that of somebody else', async () => {
  const [friend, stranger, player] = [await makeUser(), await makeUser(), await makeUser()];
  const expiresAt = new Date(Date.now() + 3_600_000);
  const invited = (teamId: string, invitedById: string, createdAt: Date) => {
    return { id: newId('tiv'), teamId, invitedById, userId: player.id, role: 'player' as const, expiresAt, createdAt };
  };
  const genuine = await makeTeam(friend);
  const teams = Array.from({ length: 300 }, () => ({ id: newId('tem'), name: 'Spam' }));
  await db.team.createMany({ data: teams });
  await db.teamInvitation.createMany({
    data: [
      invited(genuine.id, friend.id, new Date(Date.now() - 60_000)),
      ...teams.map(({ id }) => invited(id, stranger.id, new Date())),
    ],
  });
  const { body } = await api.get<Page>('/me/team-invitations?limit=25', player);
  expect(body.total).toBe(301);
  expect(body.items[1]?.team.id).toBe(genuine.id);
});

test('of thousands from the accounts of one block, a few are read, and none that have expired', async () => {
  const [friend, player] = [await makeUser(), await makeUser()];
  const genuine = await makeTeam(friend);
  // Of every 500, one is the first that the block has sent within a day.
  const fill = (count: number, expiresIn: string) => db.$executeRaw`
    WITH strangers AS (
      INSERT INTO "user" ("id", "email", "name", "updatedAt")
      SELECT 'usr_' || gen_random_uuid(), gen_random_uuid() || '@stranger.test', 'Ada', now() FROM generate_series(1, ${count}::int)
      RETURNING "id"
    ), teams AS (
      INSERT INTO "team" ("id", "name", "updatedAt")
      SELECT 'tem_' || gen_random_uuid(), 'Spam', now() FROM generate_series(1, ${count}::int) RETURNING "id"
    )
    INSERT INTO "team_invitation" ("id", "teamId", "userId", "role", "invitedById", "invitedFrom", "place", "expiresAt", "createdAt")
    SELECT 'tiv_' || gen_random_uuid(), t."id", ${player.id}, 'player', s."id", 'block',
      least(t."n" % 500, 2), now() + ${expiresIn}::interval, now() + interval '1 minute'
    FROM (SELECT "id", row_number() OVER () AS "n" FROM teams) t
    JOIN (SELECT "id", row_number() OVER () AS "n" FROM strangers) s ON s."n" = t."n"`;
  await fill(3_000, '1 hour');
  await fill(3_000, '-1 hour');
  const expiresAt = new Date(Date.now() + 60_000);
  const invitation = {
    id: newId('tiv'),
    teamId: genuine.id,
    invitedById: friend.id,
    userId: player.id,
    role: 'player' as const,
  };
  await db.teamInvitation.create({ data: { ...invitation, expiresAt, invitedFrom: 'another block' } });
  await db.$executeRaw`ANALYZE "team_invitation"`;
  const { body } = await api.get<Page>('/me/team-invitations?limit=25', player);
  expect(body.items.slice(0, 2).map(({ id }) => id)).toContain(invitation.id);
  expect(body.total).toBeLessThan(1_000);
  const plan = await db.$queryRaw(
    Prisma.sql`EXPLAIN (ANALYZE, TIMING OFF) ${receivedSql({ ...player, emailVerified: true } as never, { skip: 0, take: 25 })}`,
  );
  expect(JSON.stringify(plan)).toContain('team_invitation_received');
  expect(JSON.stringify(plan)).not.toMatch(/Seq Scan|Rows Removed by Filter/);
});
