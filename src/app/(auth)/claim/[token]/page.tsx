import type { Metadata } from 'next';
import { AuthHeading, TextLink } from '@/components/auth/auth-shell';
import { SignUpForm } from '@/components/auth/sign-up-form';
import { AcceptClaim } from '@/components/participants/accept-claim';
import { ButtonLink } from '@/components/ui/form/button';
import { DateTime, ViewerZone } from '@/components/ui/text/date-time';
import { pathWith } from '@/domain/navigation/return-path';
import { api, orPage, viewer } from '@/trpc/server';

export const metadata: Metadata = { title: 'Claim your place', robots: { index: false }, referrer: 'no-referrer' };

export default async function ClaimPage({ params }: { params: Promise<{ token: string }> }) {
  const { token } = await params;
  const { participant, tournament, isOpen, expiresAt } = await orPage(
    (await api()).participants.claims.preview({ token }),
  );
  const person = await viewer();
  const here = `/claim/${token}`;
  if (!isOpen) {
    return (
      <>
        <AuthHeading title={tournament.name}>
          This link was already used, replaced by a newer one, or has expired. Ask the organizer for a new one.
        </AuthHeading>
        <ButtonLink href={person ? '/me' : '/sign-in?next=/me'} className="justify-self-start">
          Go to my tournaments
        </ButtonLink>
      </>
    );
  }
  return (
    <ViewerZone zone={person?.timezone ?? null}>
      <AuthHeading title={`Are you ${participant.name}?`}>
        The organizer of <bdi>{tournament.name}</bdi> added{' '}
        {participant.type === 'team' ? 'your team. Take it over as its captain' : 'you. Take your place over'} to check
        in and report results yourself.
      </AuthHeading>
      <p className="text-muted">
        {tournament.gameName}, <DateTime value={tournament.startDate} organizerZone={tournament.timezone} />
      </p>
      {person ? (
        <AcceptClaim token={token} name={participant.name} slug={tournament.slug} />
      ) : (
        <div className="grid gap-5">
          <p className="text-muted">
            Already have an account? <TextLink href={pathWith('/sign-in', { next: here })}>Sign in</TextLink>
          </p>
          <SignUpForm next={here} />
        </div>
      )}
      <p className="text-xs text-faint">
        Expires <DateTime value={expiresAt} />.
      </p>
    </ViewerZone>
  );
}
