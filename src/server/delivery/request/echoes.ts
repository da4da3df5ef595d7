/** Text with its escapes undone, and where each of its characters began in the original; one more entry marks the end. */
type Decoded = { text: string; at: number[] };

/** How often escapes are undone: a header dumped as JSON inside of an HTML page has two layers. */
const maxLayers = 3;
/** Shorter texts occur in responses by chance. */
const minEchoLength = 6;

const named: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  sol: '/',
  equals: '=',
  plus: '+',
};
const escapes =
  /\\u([0-9a-f]{4})|\\u\{([0-9a-f]{1,6})\}|\\x([0-9a-f]{2})|\\(["'/\\])|((?:%[0-9a-f]{2})+)|&#x0{0,8}([0-9a-f]{1,6});?|&#0{0,8}([0-9]{1,7});?|&([a-z]{2,6});/gi;

function character(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

/** What an escape stands for; itself where it stands for nothing. */
function meaningOf(match: RegExpMatchArray): string {
  const [whole, unicode, braced, hex, literal, percent, htmlHex, htmlDecimal, entity] = match;
  const code = unicode ?? braced ?? hex ?? htmlHex;
  if (code !== undefined) return character(Number.parseInt(code, 16));
  if (htmlDecimal !== undefined) return character(Number(htmlDecimal));
  if (percent !== undefined) return Buffer.from(percent.replaceAll('%', ''), 'hex').toString('utf8');
  return literal ?? named[(entity ?? '').toLowerCase()] ?? whole;
}

/** Undoes the escapes of JSON, URLs and HTML once. What one escape stands for gets the place of the whole escape. */
function decode({ text, at }: Decoded): Decoded {
  const parts: string[] = [];
  const places: number[] = [];
  let from = 0;
  function copy(until: number) {
    parts.push(text.slice(from, until));
    for (let index = from; index < until; index += 1) places.push(at[index] ?? 0);
  }
  for (const match of text.matchAll(escapes)) {
    copy(match.index);
    const plain = meaningOf(match);
    parts.push(plain);
    for (let index = 0; index < plain.length; index += 1) places.push(at[match.index] ?? 0);
    from = match.index + match[0].length;
  }
  copy(text.length);
  places.push(at[text.length] ?? 0);
  return { text: parts.join(''), at: places };
}

/** What begins an escape. */
const marks = /[\\%&]/;

/** The part of a text before anything that may be an escape: in it, echoes are found at once. */
export function beforeEscapes(text: string): string {
  const at = text.search(marks);
  return at === -1 ? text : text.slice(0, at);
}

/** Only ASCII, so that every character keeps its place. */
const lower = (text: string) => text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());

/**
 * The part of base64 that depends on these bytes alone, for each of the three places where they can stand in what was
 * encoded.
 */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].map((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const exact = (bytes.length + shift) % 3 === 0;
    return whole.slice(shift === 0 ? 0 : shift + 1, exact ? undefined : -1);
  });
}

/** A text to find in lower case, and for each of its beginnings how long a shorter one is that also ends it. */
export type EchoForm = { text: string; borders: Int32Array };

/** The prefix function of Knuth, Morris and Pratt: with it a search takes linear time, also in texts that repeat themselves. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length);
  for (let index = 1, border = 0; index < text.length; index += 1) {
    while (border > 0 && text[index] !== text[border]) border = borders[border - 1] ?? 0;
    if (text[index] === text[border]) border += 1;
    borders[index] = border;
  }
  return borders;
}

/**
 * The forms in which secret texts can be found in a decoded text, in lower case. Case is ignored, since headers lose it.
 */
export function echoForms(secrets: readonly string[]): EchoForm[] {
  const forms = secrets.flatMap((secret) => {
    const bytes = Buffer.from(secret);
    return [secret, secret.replaceAll(' ', '+'), bytes.toString('hex'), ...base64Forms(bytes)];
  });
  const texts = new Set(forms.filter((form) => form.length >= minEchoLength).map(lower));
  return [...texts].map((text) => ({ text, borders: bordersOf(text) }));
}

/** Where an echo stands in the original, from and until. */
type Range = [from: number, until: number];

/** Where a form stands in a text. At the end, also its beginning: what was cut off may have been cut within an echo. */
function placesOf(haystack: string, { text, borders }: EchoForm): Range[] {
  const found: Range[] = [];
  if (!haystack.includes(text.slice(0, minEchoLength))) return found;
  let matched = 0;
  for (let index = 0; index < haystack.length; index += 1) {
    const code = haystack.charCodeAt(index);
    while (matched > 0 && code !== text.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (code === text.charCodeAt(matched)) matched += 1;
    if (matched < text.length) continue;
    const from = index + 1 - matched;
    const last = found.at(-1);
    if (last && from <= last[1]) last[1] = index + 1;
    else found.push([from, index + 1]);
    matched = borders[matched - 1] ?? 0;
  }
  if (matched >= minEchoLength) found.push([haystack.length - matched, haystack.length]);
  return found;
}

function findForms({ text, at }: Decoded, forms: readonly EchoForm[]): Range[] {
  // base64 for URLs has two other characters.
  const haystacks = new Set([lower(text), lower(text).replaceAll('-', '+').replaceAll('_', '/')]);
  return [...haystacks].flatMap((haystack) =>
    forms.flatMap((form) => placesOf(haystack, form).map(([from, until]): Range => [at[from] ?? 0, at[until] ?? 0])),
  );
}

/** Replaces every echo in a text, also where its characters are escaped. Takes linear time in text and forms. */
export function replaceEchoes(text: string, forms: readonly EchoForm[], replacement: string): string {
  if (text.length < minEchoLength) return text;
  let layer: Decoded = { text, at: Array.from({ length: text.length + 1 }, (_, index) => index) };
  const ranges = findForms(layer, forms);
  for (let depth = 0; depth < maxLayers && marks.test(layer.text); depth += 1) {
    const next = decode(layer);
    if (next.text === layer.text) break;
    layer = next;
    ranges.push(...findForms(layer, forms));
  }
  if (ranges.length === 0) return text;
  ranges.sort(([one], [other]) => one - other);
  let result = '';
  let end = 0;
  for (const [from, until] of ranges) {
    if (from >= end) result += text.slice(end, from) + replacement;
    end = Math.max(end, until);
  }
  return result + text.slice(end);
}
