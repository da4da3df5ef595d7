import type { MetadataRoute } from 'next';
import { publicUrl } from '@/env';
import { api } from '@/trpc/server';

export const dynamic = 'force-dynamic';

/** The home page, the tournament list, and the public tournaments with the latest start dates. */
export default async function sitemap(): Promise<MetadataRoute.Sitemap> {
  const listed = await (await api()).tournaments.sitemap();
  return [
    { url: publicUrl },
    { url: `${publicUrl}/tournaments` },
    ...listed.map(({ slug, updatedAt }) => ({ url: `${publicUrl}/tournaments/${slug}`, lastModified: updatedAt })),
  ];
}
