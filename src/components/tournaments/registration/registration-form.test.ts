import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  initialValues,
  registrationSchema,
  rosterFieldNames,
  rosterFromTeam,
  selectedPlayers,
  toAnswers,
  toRosterInput,
  withPlacesOfGuests,
} from '@/components/tournaments/registration/registration-form';
import type { Registration, RegistrationForm } from '@/components/tournaments/use-tournament';

type Field = RegistrationForm['fields'][number];
const question = (key: string, type: Field['type'], more: Partial<Field> = {}): Field => ({
  key,
  type,
  required: true,
  label: key,
  visibility: 'organizers',
  order: 1,
  ...more,
});
const fields = [
  question('name', 'text', { pattern: '\\p{L}+', helpText: 'Letters alone.' }),
  question('age', 'number'),
  question('vod', 'url', { required: false }),
  question('rules', 'checkbox'),
  question('region', 'select', { options: ['Europe', 'Asia'] }),
];
const solo = { fields, team: null } as RegistrationForm;
const limits = { teamSize: 2, rosterMin: 2, rosterMax: 3 };
const teams = {
  fields: [],
  team: { ...limits, roles: ['captain', 'player', 'substitute'] },
} as unknown as RegistrationForm;
const me = { id: 'usr_me', name: 'Me' };
const nothing = { registration: null, team: null };

describe('the registration form', () => {
  const paths = (form: RegistrationForm, values: object) =>
    registrationSchema(form)
      .safeParse({ ...initialValues(form, me, nothing), ...values })
      .error?.issues.map((issue) => issue.path.join('.'));

  it('requires answers only to required questions', () => {
    expect(paths(solo, {})).toEqual(['name', 'age', 'rules', 'region'].map((key) => `customFields.${key}`));
    const customFields = { name: 'Ä', age: '16', vod: '', rules: true, region: 'Asia' };
    expect(paths(solo, { customFields })).toBeUndefined();
  });

  it('validates each answer type and pattern like the server', () => {
    const customFields = { name: 'x1', age: 'old', vod: 'javascript:alert(1)', rules: false, region: 'Mars' };
    const found = registrationSchema(solo).safeParse({ ...initialValues(solo, me, nothing), customFields }).error
      ?.issues;
    expect(found?.map(({ path }) => path.at(-1))).toEqual(['name', 'age', 'vod', 'rules', 'region']);
    expect(found?.[0]?.message).toContain('Letters alone.');
  });

  it('leaves places for the players without an account, who stay on the roster', () => {
    const captain = { userId: me.id, name: me.name, role: 'captain' } as const;
    const guest = { userId: null, name: 'Bo', role: 'player' } as const;
    const registration = { name: 'Owls', customFields: {}, roster: [captain, guest] } as unknown as Registration;
    const form = withPlacesOfGuests(teams, registration);
    expect(form.team).toMatchObject({ teamSize: 2, rosterMin: 1, rosterMax: 2 });
    const { teamMembers } = initialValues(form, me, { registration, team: null });
    expect(teamMembers).toEqual([captain]);
    expect(paths(form, { teamName: 'Owls', teamMembers })).toBeUndefined();
    expect(withPlacesOfGuests(teams, null)).toBe(teams);
  });

  it('starts with the player as captain and a row for each other required player', () => {
    const { teamMembers } = initialValues(teams, me, nothing);
    expect(teamMembers.map(({ userId, role }) => [userId, role])).toEqual([
      ['usr_me', 'captain'],
      ['', 'player'],
    ]);
    expect(paths(teams, {})).toEqual(['teamName', 'teamMembers.1.userId']);
  });

  it('sends typed answers without empty ones', () => {
    const typed = { name: ' Ä ', age: '16,5', vod: ' ', rules: true, region: '' };
    expect(toAnswers(fields, typed)).toEqual({ name: 'Ä', age: 16.5, rules: true });
  });

  it('starts an edit with the registered roster and offers the other team members', () => {
    const member = (userId: string, role: 'captain' | 'player') => ({ userId, name: userId, role });
    const roster = [member('usr_me', 'captain'), member('usr_gone', 'player')];
    const registration = { name: 'Owls', roster, customFields: { age: 3, rules: true } } as unknown as Registration;
    const team = { id: 'tem_1', name: 'Night Owls', members: [member('usr_me', 'captain'), member('usr_b', 'player')] };
    const values = initialValues({ ...teams, fields }, me, { registration, team });
    expect(values).toMatchObject({
      teamId: 'tem_1',
      teamName: 'Owls',
      customFields: { age: '3', rules: true, name: '' },
    });
    expect(values.teamMembers.map(({ userId, role }) => [userId, role])).toEqual([
      ['usr_me', 'captain'],
      ['usr_gone', 'player'],
      ['usr_b', 'out'],
    ]);
  });
});

const role = fc.constantFrom('player' as const, 'substitute' as const);

describe('a roster from a team', () => {
  it('has the captain first, everyone once, and no more players than the roster allows', () => {
    const sizes = fc.record({ teamSize: fc.integer({ min: 2, max: 6 }), more: fc.nat(4) });
    fc.assert(
      fc.property(fc.array(role, { maxLength: 12 }), sizes, fc.nat(12), (roles, { teamSize, more }, at) => {
        const others = roles.map((of, index) => ({ userId: `usr_${index}`, name: '', role: of }));
        const captain = { userId: 'usr_me', name: '', role: 'captain' as const };
        const members = [...others.slice(0, at), captain, ...others.slice(at)];
        const rosterMax = teamSize + more;
        const rows = rosterFromTeam(members, 'usr_me', { teamSize, rosterMin: teamSize, rosterMax });
        expect(new Set(rows.map(({ userId }) => userId)).size).toBe(members.length);
        expect(rows[0]).toMatchObject({ userId: 'usr_me', role: 'captain' });
        expect(selectedPlayers(rows)).toHaveLength(Math.min(members.length, rosterMax));
        expect(rows.filter((row) => row.role === 'player').length).toBeLessThan(teamSize);
      }),
    );
  });

  it('prefers team substitutes over surplus players as substitutes', () => {
    const member = (userId: string, of: 'captain' | 'player' | 'substitute') => ({ userId, name: '', role: of });
    const members = [
      member('usr_me', 'captain'),
      member('a', 'player'),
      member('b', 'player'),
      member('c', 'substitute'),
    ];
    const rows = rosterFromTeam(members, 'usr_me', limits);
    expect(rows.map(({ userId, role: of }) => `${userId} ${of}`)).toEqual([
      'usr_me captain',
      'a player',
      'c substitute',
      'b out',
    ]);
  });

  it('maps the fields of selected players', () => {
    const rows = rosterFromTeam(
      ['usr_me', 'usr_a', 'usr_b', 'usr_c'].map((userId) => ({ userId, name: '', role: 'player' as const })),
      'usr_me',
      limits,
    ).map((row) => (row.userId === 'usr_a' ? { ...row, role: 'out' as const } : row));
    expect(toRosterInput(rows).map(({ userId }) => userId)).toEqual(['usr_me', 'usr_b']);
    expect(rosterFieldNames(rows)).toEqual({
      'teamMembers.0.userId': 'teamMembers.0.userId',
      'teamMembers.1.userId': 'teamMembers.2.userId',
    });
  });
});
