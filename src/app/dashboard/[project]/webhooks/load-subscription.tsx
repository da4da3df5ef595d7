import { notFound } from 'next/navigation';
import { loadProject } from '@/app/dashboard/load-project';
import { ButtonLink } from '@/components/ui/form/button';
import { ErrorState } from '@/components/ui/page/error-state';
import { PageHeader } from '@/components/ui/page/page-header';
import { api, orPage, reasonOf } from '@/trpc/server';

/**
 * A subscription of a project, for a page at `path` below it. Null where its list of addresses keeps the viewer out: show
 * `NotFromHere`.
 */
export async function loadSubscription({ project: slug, id }: { project: string; id: string }, path = '') {
  const { project } = await loadProject(slug);
  const base = `/dashboard/${project.slug}/webhooks`;
  const reading = (await api()).webhooks.subscriptions.read({ id }).catch((error: unknown) => {
    if (reasonOf(error) === 'ADDRESS_NOT_ALLOWED') return null;
    throw error;
  });
  const subscription = await orPage(reading, `${base}/${id}${path}`);
  if (subscription && subscription.projectId !== project.id) notFound();
  return { project, base, subscription };
}

/** In place of a subscription that may be managed from certain addresses alone. */
export function AddressNotAllowed({ base }: { base: string }) {
  return (
    <>
      <PageHeader back={{ href: base, label: 'Webhooks' }} title="Webhook" />
      <ErrorState
        title="Not from your address"
        message="This webhook may be managed from certain addresses only, and yours is not among them. Open it from one of them, or ask an owner who can."
        reason="ADDRESS_NOT_ALLOWED"
        action={<ButtonLink href={base}>All webhooks</ButtonLink>}
      />
    </>
  );
}
