import { LinkNotFound } from '@/components/auth/auth-shell';

export default function ClaimNotFound() {
  return (
    <LinkNotFound title="Link not found">
      The link may be incomplete. Open it again where you got it, or ask the organizer for a new one.
    </LinkNotFound>
  );
}
