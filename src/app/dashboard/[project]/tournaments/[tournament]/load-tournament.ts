import { notFound } from 'next/navigation';
import { cache } from 'react';
import { loadProject } from '@/app/dashboard/load-project';
import { api, orPage } from '@/trpc/server';

/** A tournament of the viewer's project, by slug or id; the not-found page otherwise. */
export const loadTournament = cache(async (projectSlug: string, tournamentId: string) => {
  const loaded = await loadProject(projectSlug);
  const tournament = await orPage((await api()).tournaments.get({ tournamentId }), `/dashboard/${projectSlug}`);
  if (tournament.projectId !== loaded.project.id) notFound();
  return { ...loaded, tournament };
});

export type Params = Promise<{ project: string; tournament: string }>;
