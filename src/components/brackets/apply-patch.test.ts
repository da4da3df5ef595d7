import { expect, test } from 'vitest';
import { patchBracket, patchMatch } from './apply-patch';
import { bracketData, drawn } from './bracket-data.fixture';

const shown = bracketData(drawn('single_elimination', 8));
const [quarter, semi] = shown.stages[0]?.rounds ?? [];
const match = quarter?.matches[0];
if (!match || !semi) throw new Error('no match');

test('a patch replaces the match and leaves every other round as it is', () => {
  const sent = { ...match, status: 'in_progress' as const, version: match.version + 1 };
  const after = patchBracket(shown, { version: shown.version + 1, matches: [sent], tables: [], hasOtherTables: false });
  expect(after.stages[0]?.rounds[0]?.matches[0]).toEqual(sent);
  expect(after.stages[0]?.rounds[0]?.matches[1]).toBe(quarter?.matches[1]);
  expect(after.stages[0]?.rounds[1]).toBe(semi);
  expect(after.version).toBe(shown.version + 1);
});

test('a patch that is older than what is shown changes nothing', () => {
  const newer = { ...match, status: 'completed' as const, version: 5 };
  const later = patchBracket(shown, { version: 9, matches: [newer], tables: [], hasOtherTables: false });
  const late = patchBracket(later, {
    version: 3,
    matches: [{ ...match, version: 2 }],
    tables: [],
    hasOtherTables: false,
  });
  expect(late.stages[0]?.rounds[0]?.matches[0]).toEqual(newer);
  expect(late.version).toBe(9);
});

test('tables are replaced by those of the patch', () => {
  const swiss = bracketData(drawn('swiss', 4));
  const [stage] = swiss.stages;
  if (!stage?.standings) throw new Error('no table');
  const standings = { ...stage.standings, tiebreakers: ['wins'] };
  const patch = {
    version: swiss.version,
    matches: [],
    tables: [{ stageId: stage.id, standings }],
    hasOtherTables: false,
  };
  expect(patchBracket(swiss, patch).stages[0]?.standings).toBe(standings);
  expect(patchBracket({ ...swiss, version: swiss.version + 1 }, patch).stages[0]?.standings).toBe(stage.standings);
});

test('a match page keeps what only it shows', () => {
  const page = { ...match, roundName: 'Quarterfinals' };
  const sent = { ...match, status: 'in_progress' as const, version: match.version + 1 };
  const patch = { version: 2, matches: [sent], tables: [], hasOtherTables: false };
  expect(patchMatch(page, patch)).toEqual({ ...sent, roundName: 'Quarterfinals' });
});
