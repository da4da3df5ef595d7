import { AuthHeading } from '@/components/auth/auth-shell';
import { ButtonLink } from '@/components/ui/form/button';

export default function ClaimNotFound() {
  return (
    <>
      <AuthHeading title="Link not found">
        The link may be incomplete. Open it again where you got it, or ask the organizer for a new one.
      </AuthHeading>
      <ButtonLink href="/" className="justify-self-start">
        Go to the home page
      </ButtonLink>
    </>
  );
}
