const maxLines = 2_000;
/** Columns that quotes and lists can take at the start of a line. */
const maxPrefixColumns = 40;
/** Quotes and list items. */
const maxContainers = 1_500;
const maxBrackets = 1_500;
const maxHeadings = 500;
/** Opening brackets of each paragraph times its characters: the end of each may be looked for in all of them. */
const maxBracketReach = 6_000_000;
/** Characters that can start or end emphasis or code: in total, and in one paragraph, where they can nest. */
const maxMarks = 3_000;
const maxMarksPerParagraph = 400;
/** Lines of each table times its columns: short rows are filled up to the width of the header. */
const maxCells = 2_200;
/** Addresses, tags and entities. */
const maxReferences = 500;

/** A line that begins a paragraph of its own, whatever is before it. */
const item = /^ {0,3}[-+*][ \t]+\S/;
const heading = /^ {0,3}#{1,6}(?:[ \t]|$)/;
const prefix = /^(?:[ \t>]|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))+/;
const count = (text: string, sign: RegExp) => text.match(sign)?.length ?? 0;

/** Whether Markdown can be rendered within a few dozen milliseconds. The time grows with the marks, not with the text. */
export function isCheapMarkdown(text: string): boolean {
  const lines = text.split(/\r\n?|\n/);
  if (lines.length > maxLines || count(text, /[[\]]/g) > maxBrackets) return false;
  if (count(text, /:\/\/|mailto:|[<&]/gi) > maxReferences) return false;
  let containers = 0;
  let headings = 0;
  let marks = 0;
  let marksInParagraph = 0;
  let cells = 0;
  let bracketReach = 0;
  let paragraph = { brackets: 0, length: 0 };
  let block = { lines: 0, columns: 0 };
  for (const line of lines) {
    const start = prefix.exec(line)?.[0] ?? '';
    if (start.length + 3 * count(start, /\t/g) > maxPrefixColumns) return false;
    containers += count(start, /[>*+.)-]/g);
    const rest = line.slice(start.length);
    if (heading.test(rest)) headings += 1;
    const here = count(rest, /[*_~`]/g);
    marks += here;
    const blank = rest.trim() === '';
    marksInParagraph = blank ? 0 : marksInParagraph + here;
    if (marksInParagraph > maxMarksPerParagraph) return false;
    if (blank || item.test(line)) paragraph = { brackets: 0, length: 0 };
    const reachBefore = paragraph.brackets * paragraph.length;
    const { brackets, length } = paragraph;
    paragraph = { brackets: brackets + count(line, /\[/g), length: length + line.length };
    bracketReach += paragraph.brackets * paragraph.length - reachBefore;
    const columns = count(line, /\|/g);
    if (blank) block = { lines: 0, columns: 0 };
    const before = block.lines * block.columns;
    block = { lines: block.lines + 1, columns: Math.max(block.columns, columns) };
    cells += block.lines * block.columns - before;
  }
  return (
    containers <= maxContainers &&
    headings <= maxHeadings &&
    marks <= maxMarks &&
    cells <= maxCells &&
    bracketReach <= maxBracketReach
  );
}
