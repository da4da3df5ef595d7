import { describe, expect, it } from 'vitest';
import { answersOf, emptyValues, registerForm } from '@/components/tournaments/register-form';
import type { Tournament } from '@/components/tournaments/use-tournament';

const question = (key: string, type: Tournament['customFields'][number]['type'], required = true) => ({
  key,
  type,
  required,
  label: key,
  visibility: 'organizers' as const,
});
const customFields = [
  question('name', 'text'),
  question('age', 'number'),
  question('vod', 'url', false),
  question('rules', 'checkbox'),
];
const solo = { customFields, teamSize: 1, rosterMin: 1, rosterMax: 1 } as Tournament;
const team = { ...solo, customFields: [], teamSize: 2, rosterMin: 2, rosterMax: 3 };

describe('the registration form', () => {
  const paths = (tournament: Tournament, values: object) =>
    registerForm(tournament)
      .safeParse({ ...emptyValues(tournament, 'usr_me'), ...values })
      .error?.issues.map((issue) => issue.path.join('.'));

  it('asks for what is required and lets the rest be empty', () => {
    expect(paths(solo, {})).toEqual(['customFields.name', 'customFields.age', 'customFields.rules']);
    expect(paths(solo, { customFields: { name: 'Ä', age: '16', vod: '', rules: true } })).toBeUndefined();
  });

  it('takes numbers and web addresses alone where they are asked for', () => {
    const customFields = { name: 'x', age: 'old', vod: 'javascript:alert(1)', rules: true };
    expect(paths(solo, { customFields })).toEqual(['customFields.age', 'customFields.vod']);
  });

  it('begins a roster with the player as captain, and with as many lines as it needs', () => {
    expect(emptyValues(team, 'usr_me').teamMembers).toEqual([
      { userId: 'usr_me', role: 'captain' },
      { userId: '', role: 'player' },
    ]);
    expect(paths(team, {})).toEqual(['teamName', 'teamMembers.1.userId']);
  });

  it('sends answers in their types and leaves out empty ones', () => {
    expect(answersOf(customFields, { name: ' Ä ', age: '16', vod: ' ', rules: true })).toEqual({
      name: 'Ä',
      age: 16,
      rules: true,
    });
  });
});
