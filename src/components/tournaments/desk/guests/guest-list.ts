import { parse } from 'csv-parse/browser/esm/sync';
import { nameField } from '@/domain/accounts/forms';
import { repeatedNames } from '@/domain/participants/guests';
import { nameKey } from '@/domain/text/name-key';

/** A guest as typed: a name, and the players of a team. */
export type TypedGuest = { name: string; roster: string[] };
/** A guest with its place in the list, from 1, and what is wrong with it; null: it can be added. */
export type GuestLine = TypedGuest & { line: number; problem: string | null };

const nameColumns = ['name', 'team', 'team name', 'player', 'player name', 'nickname', 'nick', 'participant'];
const rosterColumns = ['players', 'roster', 'members'];
const normalize = (title: string) => title.toLowerCase().replace(/\s+/g, ' ').trim();

const splitPlayers = (text: string) =>
  text
    .split(/[,;]/)
    .map((player) => player.trim())
    .filter(Boolean);

/** The rows of a table whose first line names its columns; null for text that is no such table. */
function readTable(lines: string[]): TypedGuest[] | null {
  const [first = ''] = lines;
  const delimiter = ['\t', ';', ','].find((mark) => first.includes(mark));
  let rows: string[][];
  try {
    rows = parse(lines.join('\n'), { delimiter: delimiter ?? ',', relax_column_count: true, trim: true });
  } catch {
    return null;
  }
  const [header = [], ...records] = rows;
  const at = header.findIndex((title) => nameColumns.includes(normalize(title)));
  // A single word is a header only above other lines: a player may be called Nick.
  if (at < 0 || (!delimiter && normalize(first) !== 'name')) return null;
  const players = header.findIndex((title) => rosterColumns.includes(normalize(title)));
  return records.map((cells) => ({
    name: cells[at] ?? '',
    roster: players < 0 ? [] : splitPlayers(cells[players] ?? ''),
  }));
}

/** Removes the numbers of a list that is numbered from 1. */
function withoutNumbers(lines: string[]): string[] {
  const numbered = lines.map((line) => /^(\d{1,3})[.)]\s+(.*)$/.exec(line));
  const isList = lines.length > 1 && numbered.every((found, at) => found?.[1] === String(at + 1));
  return isList ? numbered.map((found) => found?.[2] ?? '') : lines;
}

/**
 * Reads pasted names: one a line, or a table with a column Name or Team. In a line copied from a spreadsheet, the first
 * cell is the name.
 * @param teams whether `Foxes: Ada, Bo` is a team with its players
 */
export function readGuests(text: string, teams: boolean): TypedGuest[] {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean);
  const table = readTable(lines)?.filter(({ name }) => name !== '');
  if (table) return table.map(({ name, roster }) => ({ name, roster: teams ? roster : [] }));
  return withoutNumbers(lines).map((line) => {
    const [cell = ''] = line.split('\t');
    const [, team, players] = (teams && /^(.*?):\s+(.+)$/.exec(cell)) || [];
    return team && players ? { name: team.trim(), roster: splitPlayers(players) } : { name: cell.trim(), roster: [] };
  });
}

/** The lines with what is wrong with each. `taken` are the names that are in the tournament. */
export function checkGuests(guests: readonly TypedGuest[], taken: readonly string[]): GuestLine[] {
  const known = new Set(taken.map(nameKey));
  const repeated = new Set(repeatedNames(guests.map(({ name }) => name)).map(({ at }) => at));
  return guests.map(({ name, roster }, at) => {
    const checked = nameField.safeParse(name);
    const problem = !checked.success
      ? (checked.error.issues[0]?.message ?? 'Use another name.')
      : known.has(nameKey(name))
        ? 'Already in this tournament'
        : repeated.has(at)
          ? 'Listed twice'
          : null;
    return { name, roster, line: at + 1, problem };
  });
}
