import type { ReactNode } from 'react';
import { loadProject } from '@/app/dashboard/load-project';
import { LinkTabs } from '@/components/ui/navigation/link-tabs';
import { PageHeader } from '@/components/ui/page/page-header';

export default async function Layout({
  params,
  children,
}: {
  params: Promise<{ project: string }>;
  children: ReactNode;
}) {
  const { project } = await loadProject((await params).project);
  const base = `/dashboard/${project.slug}/anti-cheat`;
  return (
    <>
      <PageHeader
        title="Anti-cheat"
        tabs={
          <LinkTabs
            label="Anti-cheat"
            items={[
              { href: base, label: 'Detections', exact: true },
              { href: `${base}/sessions`, label: 'Sessions' },
              { href: `${base}/rules`, label: 'Rules' },
            ]}
          />
        }
      />
      {children}
    </>
  );
}
