import type { Metadata } from 'next';
import { AcceptInvitation, SwitchAccount } from '@/components/auth/accept-invitation';
import { AuthHeading, TextLink } from '@/components/auth/auth-shell';
import { SignUpForm } from '@/components/auth/sign-up-form';
import { ButtonLink } from '@/components/ui/form/button';
import { pathWith } from '@/domain/navigation/return-path';
import { roleWords } from '@/domain/projects/roles';
import { api, orPage, viewer } from '@/trpc/server';

export const metadata: Metadata = { title: 'Invitation', referrer: 'no-referrer' };

const closed = {
  accepted: 'This invitation has already been accepted.',
  revoked: 'This invitation was revoked. Ask for a new one.',
  expired: 'This invitation has expired. Ask for a new one.',
} as const;

export default async function InvitationPage({ params }: { params: Promise<{ token: string }> }) {
  const { token } = await params;
  const invitation = await orPage((await api()).projects.invitations.preview({ token }));
  const { project, invitedBy, status, email } = invitation;
  const person = await viewer();
  const here = `/invitations/${token}`;

  if (status !== 'open') {
    return (
      <>
        <AuthHeading title={project.name}>{closed[status]}</AuthHeading>
        <ButtonLink href={person ? '/dashboard' : '/sign-in?next=/dashboard'} className="justify-self-start">
          Go to your projects
        </ButtonLink>
      </>
    );
  }
  const role = roleWords[invitation.role];
  return (
    <>
      <AuthHeading title={`Join ${project.name}`}>
        <bdi>{invitedBy ?? 'Someone'}</bdi> invited you as {role.name.toLowerCase()}. You will be able to {role.can}.
      </AuthHeading>
      {person?.email === email ? (
        <AcceptInvitation token={token} projectName={project.name} />
      ) : person ? (
        <SwitchAccount invited={email} signedIn={person.email} returnTo={here} />
      ) : (
        <div className="grid gap-5">
          <p className="text-muted">
            Already have an account with this address?{' '}
            <TextLink href={pathWith('/sign-in', { next: here, email })}>Sign in</TextLink>
          </p>
          <SignUpForm next={here} invited={{ email, token }} />
        </div>
      )}
    </>
  );
}
