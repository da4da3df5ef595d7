'use client';

import { type ReactNode, useId } from 'react';
import { pairing } from '@/components/matches/actions/match-names';
import type { Match } from '@/components/matches/types';
import { cn } from '@/components/ui/cn';
import { Button } from '@/components/ui/form/button';
import { Form } from '@/components/ui/form/form';
import { FormError } from '@/components/ui/form/form-error';
import { Dialog, DialogClose } from '@/components/ui/overlay/dialog';
import { type ReadError, readError } from '@/trpc/errors';

/** A dialog with a form about a match: its error and its buttons stay visible below. */
export function MatchFormDialog({
  match,
  title,
  about,
  width,
  error,
  pending,
  disabled = false,
  submitLabel,
  submitVariant = 'primary',
  start,
  aside,
  onSubmit,
  onClose,
  children,
}: {
  match: Match;
  title: string;
  /** Added to `M4: Alice vs Bob.` */
  about?: string;
  width?: 'md' | 'lg';
  /** What the last attempt was refused with. */
  error: unknown;
  pending: boolean;
  disabled?: boolean;
  submitLabel: string;
  submitVariant?: 'primary' | 'danger';
  /** In place of Cancel, such as a way back. */
  start?: ReactNode;
  /** Beside the form and not part of it. */
  aside?: ReactNode;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  const formId = useId();
  const failure: ReadError | null = error ? readError(error) : null;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !pending && onClose()}
      title={title}
      description={`M${match.number}: ${pairing(match)}.${about ? ` ${about}` : ''}`}
      width={width}
      footer={
        <div className="grid w-full grid-cols-1 gap-3">
          <FormError error={failure} />
          <div className="flex flex-wrap justify-end gap-3">
            {start ?? (
              <DialogClose>
                <Button>Cancel</Button>
              </DialogClose>
            )}
            <Button variant={submitVariant} type="submit" form={formId} loading={pending} disabled={disabled}>
              {submitLabel}
            </Button>
          </div>
        </div>
      }
    >
      <div className={cn('grid grid-cols-1 gap-6', aside && 'sm:grid-cols-2')}>
        <Form
          id={formId}
          className="grid min-w-0 grid-cols-1 content-start gap-5"
          onSubmit={(event) => {
            event.preventDefault();
            // Forms in portals of this one bubble to it.
            event.stopPropagation();
            if (!pending) onSubmit();
          }}
        >
          {children}
        </Form>
        {aside}
      </div>
    </Dialog>
  );
}
