import type { Metadata } from 'next';
import { AuthHeading, TextLink } from '@/components/auth/auth-shell';
import { ForgotPasswordForm } from '@/components/auth/forgot-password-form';

export const metadata: Metadata = { title: 'Forgot password' };

export default async function ForgotPasswordPage({ searchParams }: { searchParams: Promise<{ email?: string }> }) {
  const { email } = await searchParams;
  return (
    <>
      <AuthHeading title="Reset your password">
        We will email you a link. Remembered it? <TextLink href="/sign-in">Sign in</TextLink>
      </AuthHeading>
      <ForgotPasswordForm email={email} />
    </>
  );
}
