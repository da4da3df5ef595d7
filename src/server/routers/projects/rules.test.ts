import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ProjectRole, projectRoles } from '@/domain/projects/roles';
import { roleChangeRefusal } from '@/server/routers/projects/rules';

const role = fc.constantFrom(...projectRoles);
const rank = (name: ProjectRole) => projectRoles.length - projectRoles.indexOf(name);

test('only admins and owners change roles, and only up to their own', () => {
  fc.assert(
    fc.property(role, role, fc.option(role), fc.boolean(), (actor, from, to, self) => {
      const refusal = roleChangeRefusal({ actor, from, to, self, owners: 2 });
      if (refusal !== null || (self && to === null)) return;
      expect(['OWNER', 'ADMIN']).toContain(actor);
      expect(rank(actor)).toBeGreaterThanOrEqual(rank(from));
      if (to) expect(rank(actor)).toBeGreaterThanOrEqual(rank(to));
    }),
  );
});

test('the last owner cannot leave or step down; one of several can', () => {
  const change = { actor: 'OWNER', self: true, from: 'OWNER' } as const;
  expect(roleChangeRefusal({ ...change, to: null, owners: 1 })).toBe('LAST_OWNER');
  expect(roleChangeRefusal({ ...change, to: 'ADMIN', owners: 1 })).toBe('LAST_OWNER');
  expect(roleChangeRefusal({ ...change, to: 'OWNER', owners: 1 })).toBeNull();
  expect(roleChangeRefusal({ ...change, to: null, owners: 2 })).toBeNull();
});
