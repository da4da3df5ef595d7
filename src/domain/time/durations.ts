import { counted } from '@/domain/text/counted';

/** Lengths of time in milliseconds. */
export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;
export const week = 7 * day;

const units = [
  ['day', day],
  ['hour', hour],
  ['minute', minute],
  ['second', second],
] as const;

/** A duration in the largest unit that divides it: `7 days`, `1 hour`, `15 minutes`. */
export function durationInWords(milliseconds: number): string {
  const [name, size] = units.find(([, length]) => milliseconds % length === 0) ?? ['second', second];
  return counted(milliseconds / size, name);
}
