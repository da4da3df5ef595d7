/** The address of a tournament's desk: by slug, or by id if the slug is `new`, which is the page for new tournaments. */
export function tournamentHref(projectSlug: string, tournament: { id: string; slug: string }): string {
  return `/dashboard/${projectSlug}/tournaments/${tournament.slug === 'new' ? tournament.id : tournament.slug}`;
}
