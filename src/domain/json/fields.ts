/** Whether a value is an object of JSON, no list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a value and all objects in it leave of a number of fields. Once that is negative, nothing more is looked at. */
export function fieldsLeft(value: unknown, allowed: number): number {
  let left = allowed;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && left >= 0; at += 1) left = fieldsLeft(value[at], left);
  } else if (isObject(value)) {
    for (const name in value) {
      left -= 1;
      if (left < 0) break;
      left = fieldsLeft(value[name], left);
    }
  }
  return left;
}
