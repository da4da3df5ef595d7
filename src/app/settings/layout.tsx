import type { ReactNode } from 'react';
import { SiteShell } from '@/components/shell/site-shell';
import { LinkTabs } from '@/components/ui/navigation/link-tabs';
import { PageHeader } from '@/components/ui/page/page-header';
import { ViewerZone } from '@/components/ui/text/date-time';
import { viewer } from '@/trpc/server';

const pages = [
  { href: '/settings', label: 'Profile', exact: true },
  { href: '/settings/notifications', label: 'Notifications' },
  { href: '/settings/security', label: 'Password and sessions' },
  { href: '/settings/anti-cheat', label: 'Anti-cheat' },
  { href: '/settings/access-tokens', label: 'Access tokens' },
  { href: '/settings/limits', label: 'Limits' },
];

export default async function SettingsLayout({ children }: { children: ReactNode }) {
  const person = await viewer();
  // Each page redirects signed-out visitors to sign in and back.
  if (!person) return children;
  return (
    <ViewerZone zone={person.timezone}>
      <SiteShell viewer={person} width="narrow">
        <PageHeader title="Account settings" tabs={<LinkTabs items={pages} label="Account settings" />} />
        {children}
      </SiteShell>
    </ViewerZone>
  );
}
