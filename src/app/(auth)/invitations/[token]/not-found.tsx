import { AuthHeading } from '@/components/auth/auth-shell';
import { ButtonLink } from '@/components/ui/form/button';

export default function InvitationNotFound() {
  return (
    <>
      <AuthHeading title="Invitation not found">
        The link may be incomplete. Open it from the email again, or ask for a new invitation.
      </AuthHeading>
      <ButtonLink href="/" className="justify-self-start">
        Go to the home page
      </ButtonLink>
    </>
  );
}
