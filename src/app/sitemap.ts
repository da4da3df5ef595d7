import type { MetadataRoute } from 'next';
import { publicUrl } from '@/env';
import { api } from '@/trpc/server';

export const dynamic = 'force-dynamic';

const pages = 10;

/** The home page, the tournament list, and the 1,000 public tournaments with the latest start dates. */
export default async function sitemap(): Promise<MetadataRoute.Sitemap> {
  const call = await api();
  const entries: MetadataRoute.Sitemap = [{ url: publicUrl }, { url: `${publicUrl}/tournaments` }];
  for (let page = 1; page <= pages; page += 1) {
    const { items, hasNext } = await call.tournaments.list({ sort: '-startDate', page, limit: 100 });
    entries.push(
      ...items.map((each) => ({ url: `${publicUrl}/tournaments/${each.slug}`, lastModified: each.updatedAt })),
    );
    if (!hasNext) break;
  }
  return entries;
}
