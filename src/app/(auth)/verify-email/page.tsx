import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import { AuthHeading } from '@/components/auth/auth-shell';
import { VerifyEmail } from '@/components/auth/verify-email';
import { viewer } from '@/trpc/server';

export const metadata: Metadata = { title: 'Confirm your email address', referrer: 'no-referrer' };

export default async function VerifyEmailPage({ searchParams }: { searchParams: Promise<{ token?: string }> }) {
  const { token } = await searchParams;
  if (!token) redirect('/settings');
  return (
    <>
      <AuthHeading title="Confirm your email address">Then organizers can reach you.</AuthHeading>
      <VerifyEmail token={token} signedIn={(await viewer()) !== null} />
    </>
  );
}
