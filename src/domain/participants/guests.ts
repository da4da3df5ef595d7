import { nameKey } from '@/domain/text/name-key';

/** Most guests that one request adds. */
export const maxGuestsAtOnce = 256;

/**
 * Names that occur again in a list.
 * @returns for each repetition its index and the index of the name's first occurrence
 */
export function repeatedNames(names: readonly string[]): { at: number; first: number }[] {
  const seen = new Map<string, number>();
  return names.flatMap((name, at) => {
    const key = nameKey(name);
    const first = seen.get(key);
    if (first === undefined) seen.set(key, at);
    return first === undefined ? [] : [{ at, first }];
  });
}
