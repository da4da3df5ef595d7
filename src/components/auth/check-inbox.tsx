import { MailCheck } from 'lucide-react';
import { ButtonLink } from '@/components/ui/form/button';
import { pathWith } from '@/domain/navigation/return-path';

/** Says that an email was sent. Reads the same whether or not the address has an account. */
export function CheckInbox({ email, children }: { email: string; children?: React.ReactNode }) {
  return (
    <div role="status" className="grid gap-4 rounded border bg-surface p-5">
      <div className="flex gap-3">
        <MailCheck aria-hidden className="size-5 shrink-0 text-accent" />
        <div className="grid min-w-0 gap-1">
          <p className="font-medium">Check your inbox</p>
          <p className="text-muted wrap-anywhere">
            {children ?? (
              <>
                We sent an email with the next step to <strong className="font-medium text-ink">{email}</strong>. It may
                take a minute. Check your spam folder if you do not see it.
              </>
            )}
          </p>
        </div>
      </div>
      <ButtonLink href={pathWith('/sign-in', { email })} className="justify-self-start">
        Sign in
      </ButtonLink>
    </div>
  );
}
