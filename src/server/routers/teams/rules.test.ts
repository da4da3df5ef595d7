import fc from 'fast-check';
import { expect, test } from 'vitest';
import { teamForm } from '@/domain/teams/forms';
import { type TeamRole, teamRoles } from '@/domain/teams/roles';
import { canAnswer, memberChangeRefusal, rosterOf } from './rules';

const role = fc.constantFrom(...teamRoles);

test('a team always has exactly one captain', () => {
  const change = fc.record({ actor: fc.nat(9), target: fc.nat(9), to: fc.option(role) });
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('player', 'substitute'), { maxLength: 9 }),
      fc.array(change),
      (rest, changes) => {
        const members = new Map<number, TeamRole>([[0, 'captain'], ...rest.map((of, at) => [at + 1, of] as const)]);
        for (const { actor, target, to } of changes) {
          const from = members.get(target);
          const by = members.get(actor) ?? null;
          if (!from || memberChangeRefusal({ actor: by, self: actor === target, from, to })) continue;
          if (to === null) members.delete(target);
          else {
            if (to === 'captain' && actor !== target) members.set(actor, 'player');
            members.set(target, to);
          }
          expect([...members.values()].filter((of) => of === 'captain')).toHaveLength(1);
          if (to !== null || actor !== target) expect(by).toBe('captain');
        }
      },
    ),
  );
});

test('members other than the captain can only leave', () => {
  fc.assert(
    fc.property(
      fc.option(fc.constantFrom('player', 'substitute')),
      fc.boolean(),
      role,
      fc.option(role),
      (actor, self, from, to) => {
        const refusal = memberChangeRefusal({ actor, self, from, to });
        expect(refusal === null).toBe(self && to === null && from !== 'captain');
      },
    ),
  );
});

test('a roster has all members, the captain first and the substitutes last', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ userId: fc.uuid(), role })), (members) => {
      const roster = rosterOf(members);
      expect(new Set(roster)).toEqual(new Set(members));
      const places = roster.map((member) => teamRoles.indexOf(member.role));
      expect(places).toEqual([...places].sort());
    }),
  );
});

test('only the invited player, the invited address or the holder of the link can answer an invitation', () => {
  const user = { id: 'usr_a', email: 'a@players.test', emailVerified: false };
  const toPlayer = { userId: 'usr_a', email: null };
  const toAddress = { userId: null, email: 'a@players.test' };
  const toAll = { userId: null, email: null };
  expect([toPlayer, toAddress, toAll].map((invitation) => canAnswer(invitation, user, 'id'))).toEqual([
    true,
    false,
    false,
  ]);
  expect([toPlayer, toAddress, toAll].map((invitation) => canAnswer(invitation, user, 'link'))).toEqual([
    false,
    true,
    true,
  ]);
  expect(canAnswer(toAddress, { ...user, emailVerified: true }, 'id')).toBe(true);
  const other = { id: 'usr_b', email: 'b@players.test', emailVerified: true };
  expect(
    [toPlayer, toAddress].flatMap((invitation) => [
      canAnswer(invitation, other, 'id'),
      canAnswer(invitation, other, 'link'),
    ]),
  ).not.toContain(true);
});

test('a tag has 2 to 6 letters or digits, and an empty one means none', () => {
  expect(teamForm.parse({ name: ' Aces ', tag: '' })).toEqual({ name: 'Aces', tag: null });
  expect(teamForm.parse({ name: 'Aces', tag: ' ACE ' }).tag).toBe('ACE');
  expect(teamForm.parse({ name: '龍', tag: '龍虎' }).tag).toBe('龍虎');
  for (const tag of ['A', 'ABCDEFG', 'A B', '<b>'])
    expect(teamForm.safeParse({ name: 'Aces', tag }).success).toBe(false);
});
