import type { FormatOptions, TournamentFormat } from '@/domain/tournaments/rules';

export type Override = NonNullable<FormatOptions['bestOfOverrides']>[number];
type Part = Override['bracket'];

/** `Best of 3`, or `Single game`. */
export const lengthLabel = (games: number) => (games === 1 ? 'Single game' : `Best of ${games}`);

/** The lengths to choose from; even ones only where a match may end level. */
export function lengths(mayBeLevel: boolean): { value: number; label: string }[] {
  const games = mayBeLevel ? [1, 2, 3, 5, 7, 9] : [1, 3, 5, 7, 9];
  return games.map((value) => ({ value, label: lengthLabel(value) }));
}

/** The parts of a bracket that have lengths of their own, as players call them. */
export function partsOf(format: TournamentFormat, options: FormatOptions): { value: Part; label: string }[] {
  const group = { value: 'group', label: format === 'swiss' ? 'Swiss rounds' : 'Group matches' } as const;
  const isDouble = format === 'double_elimination' || options.knockoutFormat === 'double_elimination';
  const knockout = isDouble
    ? ([
        { value: 'winners', label: 'Upper bracket' },
        { value: 'losers', label: 'Lower bracket' },
        { value: 'final', label: 'Grand final' },
      ] as const)
    : ([
        { value: 'winners', label: 'Knockout rounds' },
        ...(options.thirdPlace ? ([{ value: 'losers', label: 'Third-place match' }] as const) : []),
        { value: 'final', label: 'Final' },
      ] as const);
  if (format === 'round_robin') return [{ ...group, label: 'All matches' }];
  if (format === 'swiss') return [group, ...((options.playoffs ?? 0) > 0 ? knockout : [])];
  return format === 'groups_to_knockout' ? [group, ...knockout] : [...knockout];
}

/** Which round of its part an override is for, as a value of a list: `every`, `end:1`, `round:2`. */
export function roundKey({ round, roundsFromEnd }: Override): string {
  if (roundsFromEnd !== undefined) return `end:${roundsFromEnd}`;
  return round === undefined ? 'every' : `round:${round}`;
}

/** The override with another round. */
export function withRound({ bracket, bestOf }: Override, key: string): Override {
  const [kind, number] = key.split(':');
  if (kind === 'end') return { bracket, roundsFromEnd: Number(number), bestOf };
  return kind === 'round' ? { bracket, round: Number(number), bestOf } : { bracket, bestOf };
}

const fromEnd = ['last round', 'second-to-last round', 'third-to-last round', 'fourth-to-last round'];

/** `every round`, `last round`, `round 2`. */
export function roundLabel(key: string): string {
  const [kind, number] = key.split(':');
  if (kind === 'end') return fromEnd[Number(number) - 1] ?? `round ${number} from the end`;
  return kind === 'round' ? `round ${number}` : 'every round';
}

/** The rounds to choose from, with the one that is chosen. */
export function roundKeys(chosen: string): string[] {
  const keys = ['every', 'end:1', 'end:2', 'end:3', 'round:1', 'round:2', 'round:3', 'round:4'];
  return keys.includes(chosen) ? keys : [...keys, chosen];
}

/** The lengths in words: `Every match is a single game, the final is best of 5.` */
export function describeLengths(format: TournamentFormat, options: FormatOptions): string {
  const base = options.bestOf === undefined || options.bestOf === 1 ? 'a single game' : `best of ${options.bestOf}`;
  const known = new Map(partsOf(format, options).map(({ value, label }) => [value, label.toLowerCase()]));
  const others = (options.bestOfOverrides ?? []).flatMap((override) => {
    const part = known.get(override.bracket);
    if (!part) return [];
    const key = roundKey(override);
    const where = key === 'every' ? part : `${part}, ${roundLabel(key)}`;
    return [`${where}: ${lengthLabel(override.bestOf).toLowerCase()}`];
  });
  return others.length > 0 ? `Every match is ${base}, except ${others.join('; ')}.` : `Every match is ${base}.`;
}
