import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import { AuthHeading, TextLink } from '@/components/auth/auth-shell';
import { Unsubscribe } from '@/components/settings/unsubscribe';
import { ErrorNote } from '@/components/ui/page/error-state';
import { api } from '@/trpc/server';

export const metadata: Metadata = { title: 'Unsubscribe', referrer: 'no-referrer', robots: { index: false } };

async function readSettings(token: string) {
  try {
    return await (await api()).me.mail.read({ token });
  } catch {
    return null;
  }
}

/** The target of the unsubscribe link in emails. Opening it changes nothing by itself. */
export default async function UnsubscribePage({ searchParams }: { searchParams: Promise<{ token?: string }> }) {
  const { token } = await searchParams;
  if (!token) redirect('/settings/notifications');
  const settings = await readSettings(token);
  if (!settings) {
    return (
      <>
        <AuthHeading title="Unsubscribe" />
        <ErrorNote message="This link is incomplete. Copy all of it from the email." reason="INVALID_TOKEN" />
        <p className="text-muted">
          You can also turn off emails in your <TextLink href="/settings/notifications">account settings</TextLink>.
        </p>
      </>
    );
  }
  return <Unsubscribe token={token} {...settings} />;
}
