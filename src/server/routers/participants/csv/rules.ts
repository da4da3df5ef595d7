import { CsvError, parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import type { CustomFieldDefinition } from '@/domain/tournaments/settings';
import type { Issue } from '@/server/errors';

export type Cell = string | number | boolean | null;

// A formula starts a cell. One cell is also several to a program that separates by semicolons or tabs or takes no notice of
// quotation marks, so every place counts where one could start.
const formulaStart = /(?<=^|[;\t\r\n])(?=[ \u00A0'"]*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20])/g;
const defusedStart = /(?<=^|[;\t\r\n])'(?=[ \u00A0'"]*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20])/g;

const defuse = (text: string) => text.replace(formulaStart, "'");

/** Formats rows as CSV (RFC 4180), with every text in quotation marks and an apostrophe before what would be a formula. */
export function toCsv(rows: Cell[][]): string {
  const defused = rows.map((row) => row.map((cell) => (typeof cell === 'string' ? defuse(cell) : cell)));
  return stringify(defused, {
    record_delimiter: 'windows',
    quoted_string: true,
    cast: { boolean: (value) => (value ? 'yes' : 'no') },
  });
}

/** A cell as it was before `toCsv` added apostrophes, without spaces around it. */
const plainCell = (cell: string) => cell.replace(defusedStart, '').trim();

type Columns = {
  /** Column index by field. */
  fields: Map<string, number>;
  /** Column index by key of the question. */
  answers: Map<string, number>;
  header: string[];
  ignored: string[];
};

/** A line of the file. */
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
  headerOf: (field: string) => string;
};

/** What the tournament asks for: teams or individuals, and which questions. */
export type ImportOptions = { teams: boolean; definitions: CustomFieldDefinition[]; maxLines: number };

/** Accepted column names per field, in lower case without hyphens; templates use the first. */
const columnNames = {
  individual: { email: ['email', 'player email', 'player', 'captain email'] },
  team: {
    team: ['team', 'team name', 'name'],
    email: ['captain email', 'captain', 'email'],
    members: ['player emails', 'players', 'members', 'member emails'],
    substitutes: ['substitute emails', 'substitutes'],
  },
} as const;

const titles: Record<string, string> = {
  email: 'Email',
  team: 'Team',
  'captain email': 'Captain email',
  'player emails': 'Player emails',
  'substitute emails': 'Substitute emails',
};
const requiredFields = { individual: ['email'], team: ['team', 'email'] } as const;

const normalize = (text: string) => text.toLowerCase().replaceAll('-', '').replace(/\s+/g, ' ').trim();
const namesFor = (teams: boolean): Record<string, readonly string[]> => columnNames[teams ? 'team' : 'individual'];
const titleOf = (teams: boolean, field: string) => titles[namesFor(teams)[field]?.[0] ?? ''] ?? field;

/** The header of a file that the import of this tournament accepts. */
export function importHeader({ teams, definitions }: Pick<ImportOptions, 'teams' | 'definitions'>): string[] {
  return [
    ...Object.keys(namesFor(teams)).map((field) => titleOf(teams, field)),
    ...definitions.map(({ label }) => label),
  ];
}

/** Characters of a title that can name a column, with room for spaces: every reason about a line repeats it. */
const maxTitle = 500;

/** Columns that a file can have: far more than a tournament asks for, since others are ignored. */
const maxColumns = 500;

/** The first of some things that goes by a name. */
function byName<T>(named: readonly (readonly [name: string, thing: T])[]): Map<string, T> {
  return new Map(named.map(([name, thing]) => [normalize(name), thing] as const).reverse());
}

function columnsOf(header: string[], { teams, definitions }: ImportOptions): Columns {
  const fields = new Map<string, number>();
  const answers = new Map<string, number>();
  const ignored: string[] = [];
  const fieldsByName = byName(
    Object.entries(namesFor(teams)).flatMap(([field, names]) => names.map((name) => [name, field] as const)),
  );
  const keysByName = byName(definitions.flatMap(({ key, label }) => [[key, key] as const, [label, key] as const]));
  for (const [index, title] of header.entries()) {
    const name = title.length <= maxTitle ? normalize(title) : null;
    const field = name === null ? undefined : fieldsByName.get(name);
    const key = name === null ? undefined : keysByName.get(name);
    if (field && !fields.has(field)) fields.set(field, index);
    else if (key !== undefined && !answers.has(key)) answers.set(key, index);
    else ignored.push(title);
  }
  return { fields, answers, header, ignored };
}

/** A cell as an answer. Text that does not fit the question's type stays text, and validation refuses it. */
function answerOf({ type }: CustomFieldDefinition, cell: string): unknown {
  if (cell === '') return undefined;
  if (type === 'number') return /^[+-]?\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell;
  if (type !== 'checkbox') return cell;
  if (/^(true|yes|y|x|1)$/i.test(cell)) return true;
  return /^(false|no|n|0)$/i.test(cell) ? false : cell;
}

const emailsIn = (cell: string) => cell.split(/[\s,;]+/).filter(Boolean);

function rowOf(line: number, record: string[], columns: Columns, { teams, definitions }: ImportOptions): ImportRow {
  const cell = (index: number | undefined) => (index === undefined ? '' : plainCell(record[index] ?? ''));
  const of = (field: string) => cell(columns.fields.get(field));
  const email = of('email');
  const listed = (field: string, role: 'player' | 'substitute') =>
    emailsIn(of(field)).map((address) => ({ email: address, role }));
  // The captain may be listed among the players too.
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

const parseErrors: Partial<Record<CsvError['code'], string>> = {
  CSV_QUOTE_NOT_CLOSED: 'A quotation mark is not closed.',
  CSV_INVALID_CLOSING_QUOTE: 'There is text after a closing quotation mark.',
  INVALID_OPENING_QUOTE: 'A cell contains a quotation mark but does not start with one.',
  CSV_MAX_RECORD_SIZE: 'A line is too long.',
};

/** Parses a file. Issues are about the file as a whole; single lines are checked later. */
export function readImport(csv: string, options: ImportOptions): { file: ImportFile } | { issues: Issue[] } {
  const fail = (message: string) => ({ issues: [{ path: 'csv', message }] });
  const text = csv.replace(/^\uFEFF/, '').trimStart();
  if (text === '') return fail('The file is empty.');
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
    return fail(`${at}${parseErrors[error.code] ?? 'This is not a CSV file.'}`);
  }
  const [head, ...rest] = records;
  if (!head) return fail('The file is empty.');
  if (rest.length > options.maxLines) {
    return fail(`The file has ${rest.length} lines; import at most ${options.maxLines} at a time.`);
  }
  if (head.record.length > maxColumns) {
    return fail(`The first line has ${head.record.length} columns; a file can have ${maxColumns}.`);
  }
  const columns = columnsOf(head.record.map(plainCell), options);
  const missing = requiredFields[options.teams ? 'team' : 'individual'].filter((field) => !columns.fields.has(field));
  if (missing.length > 0) {
    const missingTitles = missing.map((field) => titleOf(options.teams, field)).join(' and ');
    return fail(`The first line must name the columns. Missing: ${missingTitles}.`);
  }
  const headerOf = (field: string) => {
    const index = columns.fields.get(field) ?? columns.answers.get(field);
    if (index !== undefined) return columns.header[index] ?? field;
    return options.definitions.find(({ key }) => key === field)?.label ?? titleOf(options.teams, field);
  };
  const rows = rest.map(({ record, info }) => rowOf(info.lines, record, columns, options));
  const read = columns.header.filter((title) => !columns.ignored.includes(title));
  return { file: { rows, columns: read, ignored: columns.ignored, headerOf } };
}
