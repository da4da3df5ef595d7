import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import { AuthHeading, TextLink } from '@/components/auth/auth-shell';
import { Unsubscribe } from '@/components/settings/unsubscribe';
import { ErrorNote } from '@/components/ui/page/error-state';
import { api } from '@/trpc/server';

export const metadata: Metadata = { title: 'Mail', referrer: 'no-referrer', robots: { index: false } };

async function settingsOf(token: string) {
  try {
    return await (await api()).me.mail.read({ token });
  } catch {
    return null;
  }
}

/** Where the link at the end of a letter leads; opening it changes nothing. */
export default async function UnsubscribePage({ searchParams }: { searchParams: Promise<{ token?: string }> }) {
  const { token } = await searchParams;
  if (!token) redirect('/settings/notifications');
  const settings = await settingsOf(token);
  if (!settings) {
    return (
      <>
        <AuthHeading title="Mail" />
        <ErrorNote message="This link is not complete. Copy all of it from the letter." reason="INVALID_TOKEN" />
        <p className="text-muted">
          Or change what you get in your <TextLink href="/settings/notifications">account settings</TextLink>.
        </p>
      </>
    );
  }
  return <Unsubscribe token={token} {...settings} />;
}
