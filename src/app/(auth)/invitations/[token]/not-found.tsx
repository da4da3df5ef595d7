import { AuthHeading } from '@/components/auth/auth-shell';
import { ButtonLink } from '@/components/ui/form/button';

export default function InvitationNotFound() {
  return (
    <>
      <AuthHeading title="This invitation is not known">
        The link may have lost its end on the way. Open it from the mail again, or ask for a new one.
      </AuthHeading>
      <ButtonLink href="/" className="justify-self-start">
        Go to the start
      </ButtonLink>
    </>
  );
}
