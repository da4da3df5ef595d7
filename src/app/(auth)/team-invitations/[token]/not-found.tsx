import { AuthHeading } from '@/components/auth/auth-shell';
import { ButtonLink } from '@/components/ui/form/button';

export default function TeamInvitationNotFound() {
  return (
    <>
      <AuthHeading title="This invitation is not known">
        The link may have lost its end on the way. Open it once more where you got it, or ask the captain for a new one.
      </AuthHeading>
      <ButtonLink href="/" className="justify-self-start">
        Go to the start
      </ButtonLink>
    </>
  );
}
