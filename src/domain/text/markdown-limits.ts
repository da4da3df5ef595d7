const maxLines = 2_000;
/** Columns that quotes and lists can take at the start of a line. */
const maxPrefixColumns = 40;
/** Quotes and list items. */
const maxContainers = 3_000;
const maxBrackets = 2_000;
/** Characters that can start or end emphasis or code: in total, and in one paragraph, where they can nest. */
const maxMarks = 4_000;
const maxMarksPerParagraph = 400;
/** Lines times columns: short rows of a table are padded to the width of its header. */
const maxCells = 6_000;

const prefix = /^(?:[ \t>]|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))+/;
const count = (text: string, sign: RegExp) => text.match(sign)?.length ?? 0;

/** Whether Markdown can be rendered quickly. Parsing takes quadratic time in the nesting and the marks. */
export function isCheapMarkdown(text: string): boolean {
  const lines = text.split(/\r\n?|\n/);
  if (lines.length > maxLines || count(text, /[[\]]/g) > maxBrackets) return false;
  let widest = 0;
  let containers = 0;
  let marks = 0;
  let marksInParagraph = 0;
  for (const line of lines) {
    const start = prefix.exec(line)?.[0] ?? '';
    if (start.length + 3 * count(start, /\t/g) > maxPrefixColumns) return false;
    containers += count(start, /[>*+.)-]/g);
    widest = Math.max(widest, count(line, /\|/g));
    const rest = line.slice(start.length);
    const here = count(rest, /[*_~`]/g);
    marks += here;
    marksInParagraph = rest.trim() === '' ? 0 : marksInParagraph + here;
    if (marksInParagraph > maxMarksPerParagraph) return false;
  }
  return containers <= maxContainers && marks <= maxMarks && widest * lines.length <= maxCells;
}
