import fc from 'fast-check';
import { expect, test } from 'vitest';
import { teamForm, teamRoles } from '@/domain/teams/forms';
import { canAnswer, invitationKind, invitationStatus, memberChangeRefusal, rosterOf } from './rules';

const role = fc.constantFrom(...teamRoles);

test('a team that has one captain has one after every change that is allowed', () => {
  const change = fc.record({ actor: fc.nat(9), target: fc.nat(9), to: fc.option(role) });
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('player', 'substitute'), { maxLength: 9 }),
      fc.array(change),
      (rest, changes) => {
        const members = new Map<number, (typeof teamRoles)[number]>([
          [0, 'captain'],
          ...rest.map((of, at) => [at + 1, of] as const),
        ]);
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

test('who is not the captain changes nobody but themself, and that only by leaving', () => {
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

test('a roster begins with the captain and ends with the substitutes, and loses nobody', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ userId: fc.uuid(), role })), (members) => {
      const roster = rosterOf(members);
      expect(new Set(roster)).toEqual(new Set(members));
      const places = roster.map((member) => teamRoles.indexOf(member.role));
      expect(places).toEqual([...places].sort());
    }),
  );
});

test('an invitation is open until it is answered or its time is over', () => {
  const at = (minutes: number) => new Date(minutes * 60_000);
  const row = { acceptedAt: null, declinedAt: null, revokedAt: null, expiresAt: at(10) };
  expect(invitationStatus(row, at(9))).toBe('open');
  expect(invitationStatus(row, at(10))).toBe('expired');
  expect(invitationStatus({ ...row, acceptedAt: at(1) }, at(20))).toBe('accepted');
  expect(invitationStatus({ ...row, declinedAt: at(1) }, at(2))).toBe('declined');
  expect(invitationStatus({ ...row, revokedAt: at(1) }, at(2))).toBe('revoked');
});

test('an invitation is for one player, one address, or whoever has the link', () => {
  const user = { id: 'usr_a', email: 'a@players.test', emailVerified: false };
  const toPlayer = { userId: 'usr_a', email: null };
  const toAddress = { userId: null, email: 'a@players.test' };
  const toAll = { userId: null, email: null };
  expect([toPlayer, toAddress, toAll].map(invitationKind)).toEqual(['player', 'email', 'link']);
  expect([toPlayer, toAddress, toAll].map((offer) => canAnswer(offer, user, 'id'))).toEqual([true, false, false]);
  expect([toPlayer, toAddress, toAll].map((offer) => canAnswer(offer, user, 'link'))).toEqual([false, true, true]);
  expect(canAnswer(toAddress, { ...user, emailVerified: true }, 'id')).toBe(true);
  const other = { id: 'usr_b', email: 'b@players.test', emailVerified: true };
  expect(
    [toPlayer, toAddress].flatMap((offer) => [canAnswer(offer, other, 'id'), canAnswer(offer, other, 'link')]),
  ).not.toContain(true);
});

test('a tag is short, and an empty one is none', () => {
  expect(teamForm.parse({ name: ' Aces ', tag: '' })).toEqual({ name: 'Aces', tag: null });
  expect(teamForm.parse({ name: 'Aces', tag: ' ACE ' }).tag).toBe('ACE');
  expect(teamForm.parse({ name: '龍', tag: '龍虎' }).tag).toBe('龍虎');
  for (const tag of ['A', 'ABCDEFG', 'A B', '<b>'])
    expect(teamForm.safeParse({ name: 'Aces', tag }).success).toBe(false);
});
