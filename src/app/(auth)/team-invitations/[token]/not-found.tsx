import { LinkNotFound } from '@/components/auth/auth-shell';

export default function TeamInvitationNotFound() {
  return (
    <LinkNotFound title="Invitation not found">
      The link may be incomplete. Open it again where you got it, or ask the captain for a new one.
    </LinkNotFound>
  );
}
