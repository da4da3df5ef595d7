const mostLines = 2_000;
/** Columns that quotes and lists may take at the beginning of a line. */
const deepestPrefix = 40;
/** Beginnings of quotes and list items. */
const mostContainers = 3_000;
const mostBrackets = 2_000;
/** Characters that may begin or end emphasis or code, in all and in one paragraph, where they may nest. */
const mostMarks = 4_000;
const mostMarksAtOnce = 400;
/** Lines times columns: a short line of a table is filled up to the width of its head. */
const mostCells = 6_000;

const prefix = /^(?:[ \t>]|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))+/;
const count = (text: string, sign: RegExp) => text.match(sign)?.length ?? 0;

/**
 * Whether markdown can be rendered in little time. Parsing takes time in the square of its nesting and its marks, and who
 * wrote it is not who waits.
 */
export function isQuickMarkdown(text: string): boolean {
  const lines = text.split(/\r\n?|\n/);
  if (lines.length > mostLines || count(text, /[[\]]/g) > mostBrackets) return false;
  let widest = 0;
  let containers = 0;
  let marks = 0;
  let marksAtOnce = 0;
  for (const line of lines) {
    const start = prefix.exec(line)?.[0] ?? '';
    if (start.length + 3 * count(start, /\t/g) > deepestPrefix) return false;
    containers += count(start, /[>*+.)-]/g);
    widest = Math.max(widest, count(line, /\|/g));
    const rest = line.slice(start.length);
    const here = count(rest, /[*_~`]/g);
    marks += here;
    marksAtOnce = rest.trim() === '' ? 0 : marksAtOnce + here;
    if (marksAtOnce > mostMarksAtOnce) return false;
  }
  return containers <= mostContainers && marks <= mostMarks && widest * lines.length <= mostCells;
}
