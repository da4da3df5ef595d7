import { LinkNotFound } from '@/components/auth/auth-shell';

export default function InvitationNotFound() {
  return (
    <LinkNotFound title="Invitation not found">
      The link may be incomplete. Open it from the email again, or ask for a new invitation.
    </LinkNotFound>
  );
}
