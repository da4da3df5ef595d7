import { type ClassValue, clsx } from 'clsx';
import { twMerge } from 'tailwind-merge';

/** Joins class names. Of conflicting Tailwind classes, the later one wins. */
export function cn(...values: ClassValue[]): string {
  return twMerge(clsx(values));
}
