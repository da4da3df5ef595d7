/** The address of a tournament's desk. The slug, unless it is the word that the page for new ones has. */
export function tournamentHref(projectSlug: string, tournament: { id: string; slug: string }): string {
  return `/dashboard/${projectSlug}/tournaments/${tournament.slug === 'new' ? tournament.id : tournament.slug}`;
}
