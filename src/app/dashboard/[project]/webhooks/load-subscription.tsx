import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { loadProject } from '@/app/dashboard/load-project';
import { ButtonLink } from '@/components/ui/form/button';
import { ErrorState } from '@/components/ui/page/error-state';
import { PageHeader } from '@/components/ui/page/page-header';
import { api, orPage, reasonOf } from '@/trpc/server';

/**
 * Loads a subscription of a project for the page at `path` below it. Null when its IP allowlist does not include the
 * viewer's address: show `AddressNotAllowed` then.
 */
export async function loadSubscription({ project: slug, id }: { project: string; id: string }, path = '') {
  return load(slug, id, path);
}

/** Titles and page of one request ask for the same subscription. */
const load = cache(async (slug: string, id: string, path: string) => {
  const { project } = await loadProject(slug);
  const base = `/dashboard/${project.slug}/webhooks`;
  const reading = (await api()).webhooks.subscriptions.read({ id }).catch((error: unknown) => {
    if (reasonOf(error) === 'ADDRESS_NOT_ALLOWED') return null;
    throw error;
  });
  const subscription = await orPage(reading, `${base}/${id}${path}`);
  if (subscription && subscription.projectId !== project.id) notFound();
  return { project, base, subscription };
});

/** The name of a subscription in a page's title: its description or the host of its URL. `prefix` says what the page does. */
export async function subscriptionTitle(
  params: { project: string; id: string },
  { path = '', prefix = '' }: { path?: string; prefix?: string } = {},
): Promise<Metadata> {
  const { subscription } = await loadSubscription(params, path);
  const name = subscription ? subscription.description || new URL(subscription.url).host : 'Webhook';
  return { title: `${prefix}${name} · Webhooks` };
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
