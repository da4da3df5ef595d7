/** Whether people outside the project may see the tournament. Unlisted ones are found by their link only. */
export function isVisibleOutside(tournament: { publishedAt: Date | null; visibility: string }): boolean {
  return tournament.publishedAt !== null && tournament.visibility !== 'private';
}

/** `isVisibleOutside` as a database condition. */
export const visibleOutside = { publishedAt: { not: null }, visibility: { not: 'private' } } as const;
