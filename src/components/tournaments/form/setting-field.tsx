'use client';

import { LockKeyhole } from 'lucide-react';
import { createContext, type ReactNode, useContext } from 'react';
import { type FieldPath, get, useFormContext } from 'react-hook-form';
import { fieldLabels } from '@/components/tournaments/form/labels';
import type { FormValues } from '@/components/tournaments/form/values';
import { Field } from '@/components/ui/form/field';
import type { EditableField } from '@/domain/tournaments/rules';

/** Why each locked setting cannot change. */
export type Locks = Partial<Record<EditableField, string>>;

const LockContext = createContext<Locks>({});

export function LockProvider({ locks, children }: { locks: Locks; children: ReactNode }) {
  return <LockContext value={locks}>{children}</LockContext>;
}

/** Why a setting cannot change; undefined when it can. */
export function useLockReason(field: EditableField): string | undefined {
  return useContext(LockContext)[field];
}

/** Replaces the hint of a locked setting. */
export function LockNote({ reason }: { reason: string }) {
  return (
    <span className="flex items-start gap-1.5 text-muted">
      <LockKeyhole aria-hidden className="mt-px size-3.5 shrink-0" />
      Locked: {reason}.
    </span>
  );
}

/** A setting with its label, hint, error and lock. `children` receives whether it is locked. */
export function SettingField({
  name,
  of,
  label,
  hint,
  required = false,
  group = false,
  aside,
  className,
  children,
}: {
  name: FieldPath<FormValues>;
  /** The setting whose lock applies, if `name` is only a part of it. */
  of?: EditableField;
  label?: ReactNode;
  hint?: ReactNode;
  required?: boolean;
  group?: boolean;
  aside?: ReactNode;
  className?: string;
  children: (locked: boolean) => ReactNode;
}) {
  const { formState } = useFormContext<FormValues>();
  const setting = of ?? (name as EditableField);
  const reason = useLockReason(setting);
  const error: { message?: string } | undefined = get(formState.errors, name);
  return (
    <Field
      label={label ?? fieldLabels[setting]}
      required={required}
      group={group}
      error={error?.message}
      hint={reason ? <LockNote reason={reason} /> : hint}
      aside={aside}
      className={className}
    >
      {children(reason !== undefined)}
    </Field>
  );
}

/** The style of a locked text input; read-only, so that its value stays in the form. */
export const lockedClass = 'read-only:bg-sunken read-only:text-muted';
