import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import { AuthHeading } from '@/components/auth/auth-shell';
import { ResetPasswordForm } from '@/components/auth/reset-password-form';

export const metadata: Metadata = { title: 'New password', referrer: 'no-referrer' };

export default async function ResetPasswordPage({
  searchParams,
}: {
  searchParams: Promise<{ token?: string; confirm?: string }>;
}) {
  const { token, confirm } = await searchParams;
  if (!token) redirect('/forgot-password');
  return (
    <>
      <AuthHeading title="Choose a new password">You will be signed out on all devices.</AuthHeading>
      <ResetPasswordForm token={token} asksName={confirm !== undefined} />
    </>
  );
}
