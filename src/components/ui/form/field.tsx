'use client';

import { CircleAlert } from 'lucide-react';
import { createContext, type ReactNode, useContext, useId } from 'react';
import { cn } from '@/components/ui/cn';

type FieldState = { id: string; describedBy?: string; invalid: boolean; required: boolean; labelId: string };

const FieldContext = createContext<FieldState | null>(null);

/** The id and ARIA attributes that the surrounding Field gives its control. The control's own props take precedence. */
export function useFieldControl(own: { id?: string; 'aria-describedby'?: string } = {}) {
  const field = useContext(FieldContext);
  return {
    id: own.id ?? field?.id,
    'aria-describedby': [own['aria-describedby'], field?.describedBy].filter(Boolean).join(' ') || undefined,
    'aria-invalid': field?.invalid || undefined,
    'aria-required': field?.required || undefined,
  };
}

/** The id of the surrounding Field's label, for controls that need `aria-labelledby`. */
export function useFieldLabelId(): string | undefined {
  return useContext(FieldContext)?.labelId;
}

/** Connects a label, a hint and an error with one control. `group` is for controls that consist of several inputs. */
export function Field({
  label,
  hint,
  error,
  required = false,
  group = false,
  hideLabel = false,
  aside,
  className,
  children,
}: {
  label: ReactNode;
  hint?: ReactNode;
  error?: string;
  required?: boolean;
  group?: boolean;
  hideLabel?: boolean;
  /** Shown at the end of the label's line, such as a link or a counter. */
  aside?: ReactNode;
  className?: string;
  children: ReactNode;
}) {
  const id = useId();
  const labelId = `${id}-label`;
  const describedBy = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ') || undefined;
  const labelClass = cn('font-medium text-ink', hideLabel && 'sr-only');
  const labelText = (
    <>
      {label}
      {!required && !hideLabel && !group ? <span className="ml-1.5 font-normal text-faint">optional</span> : null}
    </>
  );
  return (
    <FieldContext value={{ id, describedBy, invalid: Boolean(error), required, labelId }}>
      <div className={cn('grid content-start gap-1.5', className)}>
        <div className="flex items-baseline justify-between gap-4">
          {group ? (
            <span id={labelId} className={labelClass}>
              {labelText}
            </span>
          ) : (
            <label id={labelId} htmlFor={id} className={labelClass}>
              {labelText}
            </label>
          )}
          {aside ? <span className="text-xs text-faint">{aside}</span> : null}
        </div>
        {children}
        {hint ? (
          <p id={`${id}-hint`} className="text-xs text-faint">
            {hint}
          </p>
        ) : null}
        {error ? (
          <p id={`${id}-error`} className="flex items-start gap-1.5 text-sm text-danger">
            <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
            {error}
          </p>
        ) : null}
      </div>
    </FieldContext>
  );
}
