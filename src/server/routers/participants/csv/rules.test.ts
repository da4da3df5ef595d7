import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { question } from '@/test/questions';
import { importHeader, readImport, toCsv } from './rules';

const read = (csv: string, asks: Partial<Parameters<typeof readImport>[1]> = {}) =>
  readImport(csv, { teams: false, definitions: [], maxLines: 10, ...asks });
const file = (...given: Parameters<typeof read>) => {
  const result = read(...given);
  if ('issues' in result) throw new Error(JSON.stringify(result.issues));
  return result.file;
};

describe('toCsv', () => {
  test('ends lines as in RFC 4180 and quotes every text', () => {
    expect(toCsv([['a', 'b"c', 'd,e', 'f\ng', null, 5, true]])).toBe('"a","b""c","d,e","f\ng",,5,yes\r\n');
  });

  /** Texts in which formulas, separators and quotation marks are frequent. */
  const text = fc
    .array(fc.constantFrom('=', '+', '-', '@', '＝', ';', ',', '\t', '\r', '\n', ' ', "'", '"', 'a', '1'))
    .map((all) => all.join(''));

  test('leaves no formula, however a spreadsheet separates the cells', () => {
    fc.assert(
      fc.property(text, text, (first, second) => {
        const csv = toCsv([[first, second]]);
        const byCommas = parse(csv, { record_delimiter: '\r\n' }) as string[][];
        for (const cell of [...byCommas.flat(), ...csv.split(/[;\t\r\n]/)]) {
          expect(cell.replace(/^[ "]+/, '')).not.toMatch(/^[=+\-@\uFF1D]/);
        }
      }),
      { numRuns: 2_000 },
    );
    expect(toCsv([['x;=cmd|calc', 'Ada; -1', '＝1', '"=1', -5]])).toBe(
      `"x;'=cmd|calc","Ada;' -1","'＝1","'""=1",-5\r\n`,
    );
  });

  test('can be imported again unchanged', () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.string()), (answer) => {
        fc.pre(answer.trim() !== '');
        const csv = toCsv([
          ['Email', 'Note'],
          ['a@x.test', answer],
        ]);
        const { rows } = file(csv, { definitions: [question({ key: 'note', label: 'Note' })] });
        expect(rows[0]?.answers).toEqual({ note: answer.trim() });
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('readImport', () => {
  test('accepts several column names, any order and common separators', () => {
    for (const mark of [',', ';', '\t']) {
      const { rows, columns, ignored } = file(
        `${['Nick', 'E-Mail', 'Rank'].join(mark)}\r\n${['x', ' ada@players.test ', 'Gold'].join(mark)}`,
        { definitions: [question({ key: 'rank', label: 'Rank' })] },
      );
      expect(rows).toEqual([{ line: 2, email: 'ada@players.test', team: '', members: [], answers: { rank: 'Gold' } }]);
      expect([columns, ignored]).toEqual([['E-Mail', 'Rank'], ['Nick']]);
    }
  });

  test('keeps line numbers after empty lines and multi-line cells', () => {
    const { rows } = file('email,q\na@x.test,"one\ntwo"\n\nb@x.test,\n', { definitions: [question({})] });
    expect(rows.map(({ line, email }) => [line, email])).toEqual([
      [3, 'a@x.test'],
      [5, 'b@x.test'],
    ]);
  });

  test('builds a team from its cells, with the captain once', () => {
    const { rows } = file(
      'Team,Captain e-mail,Players,Substitutes\n"Owls","A@x.test","b@x.test; a@x.test c@x.test",d@x.test',
      { teams: true },
    );
    expect(rows[0]).toMatchObject({
      team: 'Owls',
      email: 'A@x.test',
      members: [
        { email: 'A@x.test', role: 'captain' },
        { email: 'b@x.test', role: 'player' },
        { email: 'c@x.test', role: 'player' },
        { email: 'd@x.test', role: 'substitute' },
      ],
    });
  });

  test('converts answers to the type of their question, and removes the apostrophe of an export', () => {
    const definitions = [
      question({ key: 'age', label: 'Age', type: 'number' }),
      question({ key: 'ok', label: 'Okay', type: 'checkbox' }),
      question({ key: 'tag', label: 'Tag' }),
    ];
    const { rows } = file("email,Age,OKAY,tag\na@x.test,-5,Yes,'=x\nb@x.test,five,perhaps,", { definitions });
    expect(rows.map(({ answers }) => answers)).toEqual([
      { age: -5, ok: true, tag: '=x' },
      { age: 'five', ok: 'perhaps' },
    ]);
  });

  test.each([
    ['', 'The file is empty.'],
    ['name\nAda', 'The first line must name the columns. Missing: Email.'],
    ['email\n"ada', 'Line 2: A quotation mark is not closed.'],
    [`email\n${'a@x.test\n'.repeat(11)}`, 'The file has 11 lines; import at most 10 at a time.'],
  ])('refuses the file %j', (csv, message) => {
    expect(read(csv)).toEqual({ issues: [{ path: 'csv', message }] });
  });

  test('never throws, whatever the file contains', () => {
    fc.assert(
      fc.property(fc.string(), fc.boolean(), (text, teams) => {
        expect(read(`email,team\n${text}`, { teams })).toBeDefined();
        expect(read(text, { teams })).toBeDefined();
      }),
    );
  });

  test('refuses a header that names more columns than any list has, and takes one of that length', () => {
    const definitions = Array.from({ length: 30 }, (_, at) => question({ key: `q${at}`, label: `Question ${at}` }));
    const columns = (count: number) => `Email,Question 29${',a'.repeat(count - 2)}\nada@example.org,yes`;
    expect(read(columns(501), { definitions })).toMatchObject({
      issues: [{ path: 'csv', message: 'The first line has 501 columns; a file can have 500.' }],
    });
    expect(read(columns(29_000), { definitions })).toHaveProperty('issues');
    expect(file(columns(500), { definitions })).toMatchObject({ columns: ['Email', 'Question 29'] });
  });

  test('accepts the header of the template', () => {
    for (const teams of [true, false]) {
      const definitions = [question({ key: 'rank', label: 'Rank, now' })];
      const header = toCsv([importHeader({ teams, definitions })]);
      expect(file(header, { teams, definitions })).toMatchObject({ rows: [], ignored: [] });
    }
  });
});
