import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import { AuthHeading, TextLink } from '@/components/auth/auth-shell';
import { ProviderButtons } from '@/components/auth/provider-buttons';
import { SignUpForm } from '@/components/auth/sign-up-form';
import { pathWith, returnPath } from '@/domain/navigation/return-path';
import { api, viewer } from '@/trpc/server';

export const metadata: Metadata = { title: 'Create an account' };

type Search = { next?: string; tournament?: string };

/** The tournament whose page led here, from the `tournament` parameter or the path in `next`. */
function findTournament({ next, tournament }: Search): string | undefined {
  return tournament ?? /^\/tournaments\/([^/?#]+)/.exec(next ?? '')?.[1];
}

export default async function SignUpPage({ searchParams }: { searchParams: Promise<Search> }) {
  const search = await searchParams;
  const next = returnPath(search.next);
  if (await viewer()) redirect(next);
  const providers = await (await api()).auth.providers();
  return (
    <>
      <AuthHeading title="Create an account">
        Already have one? <TextLink href={pathWith('/sign-in', { next: search.next })}>Sign in</TextLink>
      </AuthHeading>
      <div className="grid gap-5">
        <ProviderButtons providers={providers} next={next} />
        <SignUpForm next={next} tournament={findTournament(search)} />
      </div>
    </>
  );
}
