import { CsvError, parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import type { CustomFieldDefinition } from '@/domain/tournaments/settings';
import type { Issue } from '@/server/errors';

export type Cell = string | number | boolean | null;

/**
 * Rows as lines of a file: RFC 4180, and no cell that a spreadsheet would take for a formula: those that begin like one get
 * an apostrophe before them.
 */
export function toCsv(rows: Cell[][]): string {
  return stringify(rows, {
    record_delimiter: 'windows',
    escape_formulas: true,
    // By itself it quotes for the whole line ending alone.
    quoted_match: /[\r\n]/,
    cast: { boolean: (value) => (value ? 'yes' : 'no') },
  });
}

/** Takes back the apostrophe of `toCsv`. */
const plainCell = (cell: string) => cell.replace(/^'(?=[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20])/, '').trim();

type Columns = {
  /** Index of the column by what it means. */
  meaning: Map<string, number>;
  /** Index by key of the question. */
  answers: Map<string, number>;
  header: string[];
  ignored: string[];
};

/** A line as it was written, taken apart. */
export type ImportRow = {
  line: number;
  email: string;
  team: string;
  members: { email: string; role: 'captain' | 'player' | 'substitute' }[];
  answers: Record<string, unknown>;
};

export type ImportFile = {
  rows: ImportRow[];
  columns: string[];
  ignored: string[];
  headerOf: (meaning: string) => string;
};

export type ImportAsks = { teams: boolean; definitions: CustomFieldDefinition[]; mostLines: number };

/** What a column may be called, in small letters without hyphens; its first name is what a template calls it. */
const namesOf = {
  individual: { email: ['email', 'player email', 'player', 'captain email'] },
  team: {
    team: ['team', 'team name', 'name'],
    email: ['captain email', 'captain', 'email'],
    members: ['player emails', 'players', 'members', 'member emails'],
    substitutes: ['substitute emails', 'substitutes'],
  },
} as const;

const titles: Record<string, string> = {
  email: 'E-mail',
  team: 'Team',
  'captain email': 'Captain e-mail',
  'player emails': 'Player e-mails',
  'substitute emails': 'Substitute e-mails',
};
const needed = { individual: ['email'], team: ['team', 'email'] } as const;

const named = (text: string) => text.toLowerCase().replaceAll('-', '').replace(/\s+/g, ' ').trim();
const namesFor = (teams: boolean): Record<string, readonly string[]> => namesOf[teams ? 'team' : 'individual'];
const titleOf = (teams: boolean, meaning: string) => titles[namesFor(teams)[meaning]?.[0] ?? ''] ?? meaning;

/** The header of a file that this tournament's import reads. */
export function importHeader({ teams, definitions }: Pick<ImportAsks, 'teams' | 'definitions'>): string[] {
  return [
    ...Object.keys(namesFor(teams)).map((meaning) => titleOf(teams, meaning)),
    ...definitions.map(({ label }) => label),
  ];
}

function columnsOf(header: string[], { teams, definitions }: ImportAsks): Columns {
  const meaning = new Map<string, number>();
  const answers = new Map<string, number>();
  const ignored: string[] = [];
  for (const [index, title] of header.entries()) {
    const name = named(title);
    const [means] = Object.entries(namesFor(teams)).find(([, names]) => names.includes(name)) ?? [];
    const question = definitions.find(({ key, label }) => named(key) === name || named(label) === name);
    if (means && !meaning.has(means)) meaning.set(means, index);
    else if (question && !answers.has(question.key)) answers.set(question.key, index);
    else ignored.push(title);
  }
  return { meaning, answers, header, ignored };
}

/** What a cell says to a question; what does not fit its type stays text, which the check of answers refuses. */
function answerOf({ type }: CustomFieldDefinition, cell: string): unknown {
  if (cell === '') return undefined;
  if (type === 'number') return /^[+-]?\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell;
  if (type !== 'checkbox') return cell;
  if (/^(true|yes|y|x|1)$/i.test(cell)) return true;
  return /^(false|no|n|0)$/i.test(cell) ? false : cell;
}

const emailsIn = (cell: string) => cell.split(/[\s,;]+/).filter(Boolean);

function rowOf(line: number, record: string[], columns: Columns, { teams, definitions }: ImportAsks): ImportRow {
  const cell = (index: number | undefined) => (index === undefined ? '' : plainCell(record[index] ?? ''));
  const of = (meaning: string) => cell(columns.meaning.get(meaning));
  const email = of('email');
  const listed = (meaning: string, role: 'player' | 'substitute') =>
    emailsIn(of(meaning)).map((address) => ({ email: address, role }));
  // The captain may stand among the players, too.
  const others = [...listed('members', 'player'), ...listed('substitutes', 'substitute')].filter(
    (member) => member.email.toLowerCase() !== email.toLowerCase(),
  );
  const answers = definitions.map(
    (field) => [field.key, answerOf(field, cell(columns.answers.get(field.key)))] as const,
  );
  return {
    line,
    email,
    team: of('team'),
    members: teams && email ? [{ email, role: 'captain' }, ...others] : others,
    answers: Object.fromEntries(answers.filter(([, value]) => value !== undefined)),
  };
}

/** The separator that the first line uses most. */
function delimiterOf(csv: string): string {
  const first = /^[^\r\n]*/.exec(csv)?.[0] ?? '';
  const count = (mark: string) => first.split(mark).length;
  return [',', ';', '\t'].reduce((best, mark) => (count(mark) > count(best) ? mark : best));
}

const unreadable: Partial<Record<CsvError['code'], string>> = {
  CSV_QUOTE_NOT_CLOSED: 'A quotation mark is opened and not closed.',
  CSV_INVALID_CLOSING_QUOTE: 'Something follows a closing quotation mark.',
  INVALID_OPENING_QUOTE: 'A quotation mark stands within a cell that does not begin with one.',
  CSV_MAX_RECORD_SIZE: 'A line is too long.',
};

/** Reads a file, or says what is wrong with it as a whole. What is wrong with a line is found when it is looked at. */
export function readImport(csv: string, asks: ImportAsks): { file: ImportFile } | { issues: Issue[] } {
  const wrong = (message: string) => ({ issues: [{ path: 'csv', message }] });
  const text = csv.replace(/^\uFEFF/, '').trimStart();
  if (text === '') return wrong('The file is empty.');
  let records: { record: string[]; info: { lines: number } }[];
  try {
    records = parse(text, {
      delimiter: delimiterOf(text),
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      max_record_size: 60_000,
    }) as unknown as typeof records;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const at = typeof error.lines === 'number' ? `Line ${error.lines}: ` : '';
    return wrong(`${at}${unreadable[error.code] ?? 'This is not CSV.'}`);
  }
  const [head, ...rest] = records;
  if (!head) return wrong('The file is empty.');
  if (rest.length > asks.mostLines) {
    return wrong(`The file has ${rest.length} lines; import at most ${asks.mostLines} at a time.`);
  }
  const columns = columnsOf(head.record.map(plainCell), asks);
  const missing = needed[asks.teams ? 'team' : 'individual'].filter((meaning) => !columns.meaning.has(meaning));
  if (missing.length > 0) {
    const titles = missing.map((meaning) => titleOf(asks.teams, meaning)).join(' and ');
    return wrong(`The first line must name the columns; there is none called ${titles}.`);
  }
  const headerOf = (meaning: string) => {
    const index = columns.meaning.get(meaning) ?? columns.answers.get(meaning);
    if (index !== undefined) return columns.header[index] ?? meaning;
    return asks.definitions.find(({ key }) => key === meaning)?.label ?? titleOf(asks.teams, meaning);
  };
  const rows = rest.map(({ record, info }) => rowOf(info.lines, record, columns, asks));
  const read = columns.header.filter((title) => !columns.ignored.includes(title));
  return { file: { rows, columns: read, ignored: columns.ignored, headerOf } };
}
