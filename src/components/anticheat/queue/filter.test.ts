import { expect, test } from 'vitest';
import { hasStatus, isFiltered, queueInput } from './filter';

const read = (query: string) => queueInput('prj_1', new URLSearchParams(query));

test('without parameters the queue has what nobody reviewed', () => {
  expect(read('')).toEqual({ projectId: 'prj_1', status: 'unreviewed', page: 1, limit: 25 });
  expect(read('status=all').status).toBeUndefined();
  expect(read('status=confirmed').status).toBe('confirmed');
});

test('what is no filter is ignored', () => {
  expect(read('status=x&severity=x&rule=constructor&game=chess&page=-1&page=2')).toEqual(read(''));
  expect(read('page=1.5').page).toBe(1);
  expect(read('severity=high&rule=aim_snap&game=cs2&tournament=trn_1&match=m&player=usr_1&page=3')).toMatchObject({
    severity: 'high',
    rule: 'aim_snap',
    game: 'cs2',
    tournamentId: 'trn_1',
    matchId: 'm',
    userId: 'usr_1',
    page: 3,
  });
});

test('the status alone is no filter that one would clear', () => {
  expect(isFiltered(new URLSearchParams('status=all'))).toBe(false);
  expect(isFiltered(new URLSearchParams('player=usr_1'))).toBe(true);
});

test('a detection leaves the list of a status that it no longer has', () => {
  expect(hasStatus({ verdict: null }, 'unreviewed')).toBe(true);
  expect(hasStatus({ verdict: 'dismissed' }, 'unreviewed')).toBe(false);
  expect(hasStatus({ verdict: 'dismissed' }, 'dismissed')).toBe(true);
  expect(hasStatus({ verdict: 'dismissed' }, undefined)).toBe(true);
});
