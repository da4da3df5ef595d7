import { loadProject } from '@/app/dashboard/load-project';
import { PageHeader } from '@/components/ui/page-header';
import { SubscriptionList } from '@/components/webhooks/subscription-list';
import { Hydrate, prefetch, trpc } from '@/trpc/server';

export default async function WebhooksPage({ params }: { params: Promise<{ project: string }> }) {
  const { project } = await loadProject((await params).project);
  await prefetch(trpc.webhooks.subscriptions.listOfProject.queryOptions({ projectId: project.id, page: 1, limit: 25 }));
  return (
    <>
      <PageHeader title="Webhooks" description="Servers of yours that hear of events as they happen." />
      <Hydrate>
        <SubscriptionList projectId={project.id} base={`/dashboard/${project.slug}/webhooks`} />
      </Hydrate>
    </>
  );
}
