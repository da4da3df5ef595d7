import { describe, expect, test } from 'vitest';
import { rosterIssues } from './rules';

describe('rosterIssues', () => {
  const sizes = { rosterMin: 2, rosterMax: 3 };
  const me = { userId: 'me', role: 'captain' } as const;
  const other = (userId: string, role: 'player' | 'substitute' | 'captain' = 'player') => ({ userId, role });
  const paths = (team: Parameters<typeof rosterIssues>[0]) =>
    rosterIssues(team, sizes, 'me').map((issue) => issue.path);

  test('accepts a roster of the right size with one captain', () => {
    expect(paths({ teamName: 'Foxes', teamMembers: [me, other('a')] })).toEqual([]);
    expect(paths({ teamName: 'Foxes', teamMembers: [me, other('a'), other('b', 'substitute')] })).toEqual([]);
  });

  test('names what is wrong', () => {
    expect(paths({})).toEqual(['teamName', 'teamMembers']);
    expect(paths({ teamName: 'Foxes', teamMembers: [me] })).toEqual(['teamMembers']);
    expect(paths({ teamName: 'Foxes', teamMembers: [me, other('a'), other('b'), other('c')] })).toEqual([
      'teamMembers',
    ]);
    expect(paths({ teamName: 'Foxes', teamMembers: [other('a', 'captain'), other('me')] })).toEqual(['teamMembers']);
    expect(paths({ teamName: 'Foxes', teamMembers: [me, other('a', 'captain')] })).toEqual(['teamMembers']);
    expect(paths({ teamName: 'Foxes', teamMembers: [me, other('a'), other('a')] })).toEqual(['teamMembers.2.userId']);
  });
});
