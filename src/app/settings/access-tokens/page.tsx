import type { Metadata } from 'next';
import { AccessTokens } from '@/components/settings/access-tokens';
import { Hydrate, prefetch, requireViewer, trpc } from '@/trpc/server';

export const metadata: Metadata = { title: 'Access tokens' };

export default async function AccessTokensPage() {
  await requireViewer('/settings/access-tokens');
  await prefetch(trpc.me.accessTokens.list.queryOptions({ page: 1, limit: 25 }));
  return (
    <Hydrate>
      <AccessTokens />
    </Hydrate>
  );
}
