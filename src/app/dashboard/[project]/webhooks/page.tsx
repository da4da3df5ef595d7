import { loadProject } from '@/app/dashboard/load-project';
import { PageHeader } from '@/components/ui/page/page-header';
import { subscriptionsPerPage } from '@/components/webhooks/page-sizes';
import { SubscriptionList } from '@/components/webhooks/subscriptions/subscription-list';
import { Hydrate, prefetch, trpc } from '@/trpc/server';

export default async function WebhooksPage({ params }: { params: Promise<{ project: string }> }) {
  const { project } = await loadProject((await params).project);
  const input = { projectId: project.id, page: 1, limit: subscriptionsPerPage };
  await Promise.all([
    prefetch(trpc.webhooks.subscriptions.listOfProject.queryOptions(input)),
    prefetch(trpc.webhooks.dashboard.queryOptions(input)),
  ]);
  return (
    <>
      <PageHeader title="Webhooks" description="Send events to your servers as they happen, and see every delivery." />
      <Hydrate>
        <SubscriptionList projectId={project.id} base={`/dashboard/${project.slug}/webhooks`} />
      </Hydrate>
    </>
  );
}
