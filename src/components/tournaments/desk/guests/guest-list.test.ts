import { describe, expect, it } from 'vitest';
import { checkGuests, readGuests } from '@/components/tournaments/desk/guests/guest-list';

const names = (text: string, teams = false) => readGuests(text, teams).map(({ name }) => name);

describe('readGuests', () => {
  it('reads one name a line, without empty lines and spaces around', () => {
    expect(names('Ada\r\n\n  Bo Peep \nSmith, John\n')).toEqual(['Ada', 'Bo Peep', 'Smith, John']);
    expect(names('  \n')).toEqual([]);
  });

  it('removes the numbers of a numbered list only', () => {
    expect(names('1. Ada\n2) Bo')).toEqual(['Ada', 'Bo']);
    expect(names('1. FC Köln\nBo')).toEqual(['1. FC Köln', 'Bo']);
    expect(names('1. FC Köln')).toEqual(['1. FC Köln']);
  });

  it('reads the column of a table that is called name, in any position', () => {
    expect(names('Email,Name\nada@example.org,"Lovelace, Ada"\nbo@example.org,Bo')).toEqual(['Lovelace, Ada', 'Bo']);
    expect(names('Seed\tPlayer\n1\tAda\n2\tBo')).toEqual(['Ada', 'Bo']);
    expect(names('Name\nAda\nBo')).toEqual(['Ada', 'Bo']);
    expect(names('Nick\nAda')).toEqual(['Nick', 'Ada']);
    expect(names('Ada\tBerlin\nBo\tParis')).toEqual(['Ada', 'Bo']);
    expect(names('Name,"broken\nAda')).toEqual(['Name,"broken', 'Ada']);
  });

  it('reads the players of teams after a colon or from a column', () => {
    expect(readGuests('Foxes: Ada, Bo\nOwls', true)).toEqual([
      { name: 'Foxes', roster: ['Ada', 'Bo'] },
      { name: 'Owls', roster: [] },
    ]);
    expect(readGuests('Team;Players\nFoxes;"Ada, Bo"', true)).toEqual([{ name: 'Foxes', roster: ['Ada', 'Bo'] }]);
    expect(readGuests('Foxes: Ada', false)).toEqual([{ name: 'Foxes: Ada', roster: [] }]);
  });
});

it('checkGuests says why a line cannot be added', () => {
  const lines = checkGuests(readGuests(`Ada\nBo\nada\nCy\n${'x'.repeat(81)}`, false), ['CY']);
  expect(lines.map(({ problem }) => problem)).toEqual([
    null,
    null,
    'Listed twice',
    'Already in this tournament',
    'Use at most 80 characters.',
  ]);
});
