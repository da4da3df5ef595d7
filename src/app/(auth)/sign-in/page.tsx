import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import { AuthHeading, TextLink } from '@/components/auth/auth-shell';
import { ProviderButtons } from '@/components/auth/provider-buttons';
import { SignInForm } from '@/components/auth/sign-in-form';
import { pathWith, returnPath } from '@/domain/navigation/return-path';
import { api, viewer } from '@/trpc/server';

export const metadata: Metadata = { title: 'Sign in' };

type Search = { next?: string; email?: string; error?: string };

export default async function SignInPage({ searchParams }: { searchParams: Promise<Search> }) {
  const search = await searchParams;
  const next = returnPath(search.next);
  if (await viewer()) redirect(next);
  const providers = await (await api()).auth.providers();
  return (
    <>
      <AuthHeading title="Sign in">
        New to Laurel? <TextLink href={pathWith('/sign-up', { next: search.next })}>Create an account</TextLink>
      </AuthHeading>
      <div className="grid gap-5">
        <ProviderButtons providers={providers} next={next} />
        <SignInForm next={next} email={search.email} error={search.error} />
      </div>
    </>
  );
}
