import { notFound } from 'next/navigation';
import { cache } from 'react';
import type { Outputs } from '@/trpc/outputs';
import { api, orPage, requireViewer } from '@/trpc/server';

type Project = Outputs['projects']['list']['items'][number];
/** A project with the viewer's role in it. */
export type MemberProject = Project & { role: NonNullable<Project['role']> };

/** The viewer's projects, newest first. Redirects signed-out visitors to sign in. */
export const myProjects = cache(async (): Promise<MemberProject[]> => {
  await requireViewer('/dashboard');
  const call = await api();
  const projects: MemberProject[] = [];
  for (let page = 1; ; page += 1) {
    const { items, hasNext } = await orPage(call.projects.list({ page, limit: 100 }), '/dashboard');
    for (const item of items) if (item.role) projects.push({ ...item, role: item.role });
    if (!hasNext) return projects;
  }
});

/** The viewer and their project with this slug. Shows the not-found page for other people's projects. */
export const loadProject = cache(async (slug: string) => {
  const viewer = await requireViewer(`/dashboard/${slug}`);
  const project = (await myProjects()).find((each) => each.slug === slug);
  return { viewer, project: project ?? notFound() };
});
