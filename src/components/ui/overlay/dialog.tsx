'use client';

import { X } from 'lucide-react';
import { AlertDialog, Dialog as Radix } from 'radix-ui';
import { type ReactNode, useId, useState } from 'react';
import { cn } from '@/components/ui/cn';
import { Button } from '@/components/ui/form/button';
import { Input } from '@/components/ui/form/input';
import { ErrorNote } from '@/components/ui/page/error-state';
import { type ReadError, readError } from '@/trpc/errors';

const scrim = 'fixed inset-0 z-40 bg-scrim animate-appear';
const panel =
  'fixed z-50 flex max-h-[calc(100dvh-2rem)] flex-col border bg-raised shadow outline-none max-sm:inset-x-0 max-sm:bottom-0 max-sm:animate-slide-up max-sm:rounded-t sm:top-1/2 sm:left-1/2 sm:w-[calc(100vw-2rem)] sm:-translate-1/2 sm:animate-appear sm:rounded';

type OpenProps = { open?: boolean; onOpenChange?: (open: boolean) => void; trigger?: ReactNode };

/** A dialog, shown as a bottom sheet on phones. Escape and a click outside close it. `footer` stays visible. */
export function Dialog({
  open,
  onOpenChange,
  trigger,
  title,
  description,
  footer,
  width = 'md',
  children,
}: OpenProps & {
  title: ReactNode;
  description?: ReactNode;
  footer?: ReactNode;
  width?: 'md' | 'lg';
  children?: ReactNode;
}) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      {trigger ? <Radix.Trigger asChild>{trigger}</Radix.Trigger> : null}
      <Radix.Portal>
        <Radix.Overlay className={scrim} />
        <Radix.Content
          data-bottom-sheet=""
          className={cn(panel, width === 'md' ? 'sm:max-w-lg' : 'sm:max-w-3xl')}
          {...(description ? {} : { 'aria-describedby': undefined })}
        >
          <header className="flex items-start gap-4 px-5 pt-5 pb-3">
            <div className="min-w-0 flex-1">
              <Radix.Title className="display text-xl">{title}</Radix.Title>
              {description ? <Radix.Description className="mt-1 text-muted">{description}</Radix.Description> : null}
            </div>
            <CloseButton />
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto px-5 pt-1 pb-5">{children}</div>
          {footer ? <footer className="flex justify-end gap-3 border-t px-5 py-3">{footer}</footer> : null}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function CloseButton() {
  return (
    <Radix.Close asChild>
      <Button variant="ghost" size="icon" aria-label="Close" className="-mt-1 -mr-2" icon={<X aria-hidden />} />
    </Radix.Close>
  );
}

/** Makes its child close the surrounding dialog or sheet. */
export function DialogClose({ children }: { children: ReactNode }) {
  return <Radix.Close asChild>{children}</Radix.Close>;
}

/** A side panel for details or a menu. On phones it slides up from below unless `side="left"`. */
export function Sheet({
  open,
  onOpenChange,
  trigger,
  title,
  hideTitle = false,
  side = 'right',
  children,
}: OpenProps & { title: string; hideTitle?: boolean; side?: 'left' | 'right'; children: ReactNode }) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      {trigger ? <Radix.Trigger asChild>{trigger}</Radix.Trigger> : null}
      <Radix.Portal>
        <Radix.Overlay className={scrim} />
        <Radix.Content
          aria-describedby={undefined}
          data-bottom-sheet={side === 'right' ? '' : undefined}
          className={cn(
            'fixed z-50 flex flex-col border bg-raised shadow outline-none',
            side === 'left'
              ? 'inset-y-0 left-0 w-72 animate-appear'
              : 'max-sm:inset-x-0 max-sm:bottom-0 max-sm:max-h-[85dvh] max-sm:animate-slide-up max-sm:rounded-t sm:inset-y-0 sm:right-0 sm:w-full sm:max-w-lg sm:animate-slide-in',
          )}
        >
          <header className="flex h-14 shrink-0 items-center justify-between gap-4 border-b px-5">
            <Radix.Title className={cn('display text-lg', hideTitle && 'sr-only')}>{title}</Radix.Title>
            <span className="ml-auto pt-1">
              <CloseButton />
            </span>
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto p-5">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/**
 * Asks for confirmation before something that cannot be undone. `children` says what will happen; with `typeToConfirm`,
 * the viewer has to type that text first. Stays open and shows the error when `onConfirm` rejects.
 */
export function ConfirmDialog({
  open,
  onOpenChange,
  trigger,
  title,
  children,
  confirmLabel,
  cancelLabel = 'Keep it',
  danger = true,
  typeToConfirm,
  onConfirm,
}: OpenProps & {
  title: ReactNode;
  children: ReactNode;
  confirmLabel: string;
  cancelLabel?: string;
  danger?: boolean;
  typeToConfirm?: string;
  onConfirm: () => unknown;
}) {
  const [ownOpen, setOwnOpen] = useState(false);
  const typedId = useId();
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ReadError | null>(null);

  function change(next: boolean) {
    if (busy) return;
    setTyped('');
    setError(null);
    setOwnOpen(next);
    onOpenChange?.(next);
  }

  async function confirm() {
    setBusy(true);
    setError(null);
    try {
      await onConfirm();
      setOwnOpen(false);
      onOpenChange?.(false);
    } catch (thrown) {
      setError(readError(thrown));
    } finally {
      setBusy(false);
    }
  }

  return (
    <AlertDialog.Root open={open ?? ownOpen} onOpenChange={change}>
      {trigger ? <AlertDialog.Trigger asChild>{trigger}</AlertDialog.Trigger> : null}
      <AlertDialog.Portal>
        <AlertDialog.Overlay className={scrim} />
        <AlertDialog.Content data-bottom-sheet="" className={cn(panel, 'sm:max-w-md')}>
          <div className="grid gap-3 overflow-y-auto p-5">
            <AlertDialog.Title className="display text-xl">{title}</AlertDialog.Title>
            <AlertDialog.Description asChild>
              <div className="grid gap-2 text-muted">{children}</div>
            </AlertDialog.Description>
            {typeToConfirm ? (
              <div className="grid gap-1.5">
                <label htmlFor={typedId}>
                  Type <strong className="text-ink">{typeToConfirm}</strong> to confirm
                </label>
                <Input
                  id={typedId}
                  value={typed}
                  onChange={(event) => setTyped(event.target.value)}
                  autoComplete="off"
                />
              </div>
            ) : null}
            {error ? <ErrorNote message={error.message} reason={error.reason} requestId={error.requestId} /> : null}
          </div>
          <footer className="flex justify-end gap-3 border-t px-5 py-3 max-sm:flex-col-reverse">
            <AlertDialog.Cancel asChild>
              <Button disabled={busy}>{cancelLabel}</Button>
            </AlertDialog.Cancel>
            <Button
              variant={danger ? 'danger' : 'primary'}
              loading={busy}
              disabled={typeToConfirm !== undefined && typed.trim() !== typeToConfirm}
              onClick={confirm}
            >
              {confirmLabel}
            </Button>
          </footer>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
