const classCharacter = String.raw`(?:\\x\{[^}]*\}|\\.?|[^\\])`;
const classItem = String.raw`\[:\^?[a-z]+:\]|\\[pP](?:\{[^}]*\}|.)|\\[dDsSwW]|(?!\])${classCharacter}(?:-(?!\])${classCharacter})?`;

/** The parts of a pattern. None can fail and be tried in another way, so that reading them takes linear time. */
const parts = [
  String.raw`\\Q(?<quoted>.*?)(?:\\E|$)`,
  String.raw`(?<assertion>\\[AbBz]|[$^])`,
  String.raw`(?<character>\\(?:[pPx]\{[^}]*\}|[pP].|x[\da-fA-F]{2}|[0-7]{1,3}|.)|\[\^?\]?(?:${classItem})*(?:\]|$))`,
  String.raw`\(\?[imsU-]*\)`,
  String.raw`(?<open>\((?:\?[imsU-]*:|\?P?<[^>]*>)?)`,
  String.raw`(?<close>\))`,
  String.raw`(?<or>\|)`,
  String.raw`\{(?<min>0|[1-9]\d*)(?:(?<comma>,)(?<max>0|[1-9]\d*)?)?\}`,
  '(?<sign>[*+?])',
  '(?<other>.)',
];
const part = new RegExp(parts.join('|'), 'gsu');

/** What is in a pair of parentheses; all alternatives are summed up. */
class Group {
  private before = 0;
  /** Steps of the alternative that is being read, without its last part. */
  private steps = 0;
  /** Steps of its last part, which a repetition repeats. */
  private last = 0;
  /** Alternatives of one character next to each other become one class. */
  private isCharacter = false;
  private followsCharacter = false;

  constructor(private readonly own: number) {}

  add(steps: number, isCharacter = false): void {
    this.isCharacter = isCharacter && this.steps + this.last === 0;
    this.steps += this.last;
    this.last = steps;
  }

  repeat(times: number, more: number): void {
    this.last = this.last * Math.max(1, times) + more;
    this.isCharacter = false;
  }

  endAlternative(): void {
    if (!this.isCharacter || !this.followsCharacter) this.before += Math.max(1, this.steps + this.last) + 1;
    this.followsCharacter = this.isCharacter;
    this.isCharacter = false;
    this.steps = 0;
    this.last = 0;
  }

  end(): number {
    this.endAlternative();
    return this.own + this.before - 1;
  }
}

/**
 * As many steps as an RE2 pattern is compiled to, or more, from its text alone: what `((a{9}){9}){9}` is compiled to takes long before
 * its size is known. Only what alternatives begin with in common counts more than once.
 */
export function stepsAtMost(pattern: string): number {
  let group = new Group(2);
  const outer: Group[] = [];
  const close = () => {
    const steps = group.end();
    group = outer.pop() ?? new Group(2);
    group.add(steps);
  };
  for (const { groups: found = {} } of pattern.matchAll(part)) {
    const { quoted, assertion, character, other, open, or, min, comma, max = comma ? undefined : min, sign } = found;
    if (quoted) {
      group.add(quoted.length - 1);
      group.add(1);
    } else if (assertion) group.add(1);
    else if (character || other) group.add(1, true);
    else if (or) group.endAlternative();
    else if (sign) group.repeat(1, sign === '*' ? 2 : 1);
    else if (min) group.repeat(Number(max ?? min), max ? Number(max) - Number(min) : 1);
    else if (open) {
      outer.push(group);
      group = new Group(open === '(' || open.endsWith('>') ? 2 : 0);
    } else if (found.close) close();
  }
  while (outer.length > 0) close();
  return group.end();
}
