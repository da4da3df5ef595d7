import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { loadProject } from '@/app/dashboard/load-project';
import { ButtonLink } from '@/components/ui/form/button';
import { ErrorState } from '@/components/ui/page/error-state';
import { PageHeader } from '@/components/ui/page/page-header';
import { api, orPage, reasonOf } from '@/trpc/server';

const readSubscription = cache(async (id: string) =>
  (await api()).webhooks.subscriptions.read({ id }).catch((error: unknown) => {
    if (reasonOf(error) === 'ADDRESS_NOT_ALLOWED') return null;
    throw error;
  }),
);

/**
 * Loads a subscription of a project for the page at `path` below it. Null when its IP allowlist does not include the
 * viewer's address: show `AddressNotAllowed` then.
 */
export async function loadSubscription({ project: slug, id }: { project: string; id: string }, path = '') {
  const { project } = await loadProject(slug);
  const base = `/dashboard/${project.slug}/webhooks`;
  const subscription = await orPage(readSubscription(id), `${base}/${id}${path}`);
  if (subscription && subscription.projectId !== project.id) notFound();
  return { project, base, subscription };
}

/** The title of a page about a subscription: `Delivery to hooks.example.com`. @param prefix such as `Delivery to ` */
export async function subscriptionTitle(
  params: { project: string; id: string },
  { path = '', prefix = '' } = {},
): Promise<Metadata> {
  const { subscription } = await loadSubscription(params, path);
  if (!subscription) return { title: 'Webhook' };
  return { title: `${prefix}${subscription.description || new URL(subscription.url).host}` };
}

/** Shown in place of a subscription whose IP allowlist does not include the viewer's address. */
export function AddressNotAllowed({ base }: { base: string }) {
  return (
    <>
      <PageHeader back={{ href: base, label: 'Webhooks' }} title="Webhook" />
      <ErrorState
        title="Your IP address is not allowed"
        message="This webhook can be managed only from the addresses on its IP allowlist, and yours is not one of them. Open it from an allowed address, or ask an owner who can."
        reason="ADDRESS_NOT_ALLOWED"
        action={<ButtonLink href={base}>All webhooks</ButtonLink>}
      />
    </>
  );
}
