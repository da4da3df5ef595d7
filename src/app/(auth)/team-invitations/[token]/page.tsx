import type { Metadata } from 'next';
import { SwitchAccount } from '@/components/auth/accept-invitation';
import { AuthHeading, TextLink } from '@/components/auth/auth-shell';
import { SignUpForm } from '@/components/auth/sign-up-form';
import { InvitationResponse } from '@/components/teams/invitation-response';
import { ButtonLink } from '@/components/ui/form/button';
import { DateTime, ViewerZone } from '@/components/ui/text/date-time';
import { pathWith } from '@/domain/navigation/return-path';
import { teamRoleWords } from '@/domain/teams/roles';
import { api, orPage, viewer } from '@/trpc/server';

export const metadata: Metadata = { title: 'Team invitation', robots: { index: false }, referrer: 'no-referrer' };

const closed = {
  accepted: 'This invitation has already been accepted.',
  declined: 'This invitation was declined. Ask the captain for a new one.',
  revoked: 'This invitation was revoked. Ask the captain for a new one.',
  expired: 'This invitation has expired. Ask the captain for a new one.',
} as const;

export default async function TeamInvitationPage({ params }: { params: Promise<{ token: string }> }) {
  const { token } = await params;
  const invitation = await orPage((await api()).teams.invitations.preview({ token }));
  const { team, invitedBy, status, email, kind } = invitation;
  const person = await viewer();
  const here = `/team-invitations/${token}`;

  if (status !== 'open' || team.disbanded) {
    return (
      <>
        <AuthHeading title={team.name}>{status === 'open' ? 'This team was disbanded.' : closed[status]}</AuthHeading>
        <ButtonLink href={person ? '/teams' : '/sign-in?next=/teams'} className="justify-self-start">
          Go to your teams
        </ButtonLink>
      </>
    );
  }
  const role = teamRoleWords[invitation.role];
  return (
    <ViewerZone zone={person?.timezone ?? null}>
      <AuthHeading title={`Join ${team.name}`}>
        <bdi>{invitedBy}</bdi> invited you as {role.name.toLowerCase()}
        {team.memberCount === 1 ? '.' : ` to a team of ${team.memberCount}.`}
      </AuthHeading>
      {email && person && person.email !== email ? (
        <SwitchAccount invited={email} signedIn={person.email} returnTo={here} />
      ) : person ? (
        <InvitationResponse token={token} teamName={team.name} canDecline={kind === 'email'} />
      ) : (
        <div className="grid gap-5">
          <p className="text-muted">
            {email ? 'Already have an account with this address?' : 'Already have an account?'}{' '}
            <TextLink href={pathWith('/sign-in', { next: here, email: email ?? undefined })}>Sign in</TextLink>
          </p>
          <SignUpForm next={here} invited={email ? { email, token } : undefined} />
        </div>
      )}
      <p className="text-xs text-faint">
        Expires <DateTime value={invitation.expiresAt} />.
      </p>
    </ViewerZone>
  );
}
