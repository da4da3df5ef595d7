import type { ReactNode } from 'react';
import { SiteShell } from '@/components/shell/site-shell';
import { ViewerZone } from '@/components/ui/date-time';
import { PageHeader } from '@/components/ui/page-header';
import { LinkTabs } from '@/components/ui/tabs';
import { requireViewer } from '@/trpc/server';

const pages = [
  { href: '/settings', label: 'Profile', exact: true },
  { href: '/settings/security', label: 'Password and sessions' },
  { href: '/settings/access-tokens', label: 'Access tokens' },
];

export default async function SettingsLayout({ children }: { children: ReactNode }) {
  const person = await requireViewer('/settings');
  return (
    <ViewerZone zone={person.timezone}>
      <SiteShell viewer={person} width="narrow">
        <PageHeader title="Account settings" tabs={<LinkTabs items={pages} label="Account settings" />} />
        {children}
      </SiteShell>
    </ViewerZone>
  );
}
