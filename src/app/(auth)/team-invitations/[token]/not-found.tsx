import { AuthHeading } from '@/components/auth/auth-shell';
import { ButtonLink } from '@/components/ui/form/button';

export default function TeamInvitationNotFound() {
  return (
    <>
      <AuthHeading title="Invitation not found">
        The link may be incomplete. Open it again where you got it, or ask the captain for a new one.
      </AuthHeading>
      <ButtonLink href="/" className="justify-self-start">
        Go to the home page
      </ButtonLink>
    </>
  );
}
