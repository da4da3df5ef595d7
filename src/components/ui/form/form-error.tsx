'use client';

import { useCallback, useState } from 'react';
import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import { ErrorNote } from '@/components/ui/page/error-state';
import { type ReadError, readError } from '@/trpc/errors';

/** What could not be placed beside a field: the message, its code and the request id. Nothing while there is no error. */
export function FormError({ error }: { error: ReadError | null | undefined }) {
  if (!error) return null;
  const unplaced = error.issues.filter((issue) => issue.path === '');
  return (
    <ErrorNote message={error.message} reason={error.reason} requestId={error.requestId}>
      {unplaced.map((issue) => (
        <p key={issue.message}>{issue.message}</p>
      ))}
    </ErrorNote>
  );
}

/**
 * Places a refusal in a react-hook-form: every issue beside its field, the rest in `formError` for `<FormError>`.
 * `fields` renames server paths to form names where they differ. Focus goes to the first field at fault.
 */
export function useFormErrors<Values extends FieldValues>(
  form: UseFormReturn<Values>,
  fields: Partial<Record<string, FieldPath<Values>>> = {},
) {
  const [formError, setFormError] = useState<ReadError | null>(null);
  const { setError, getValues } = form;

  const showError = useCallback(
    (thrown: unknown) => {
      const error = readError(thrown);
      const known = new Set(Object.keys(getValues()));
      const placed = error.issues.filter((issue) => issue.path in fields || known.has(issue.path.split('.')[0] ?? ''));
      placed.forEach((issue, index) => {
        const name = fields[issue.path] ?? (issue.path as FieldPath<Values>);
        setError(name, { type: 'server', message: issue.message }, { shouldFocus: index === 0 });
      });
      const allPlaced = placed.length > 0 && placed.length === error.issues.length;
      const rest = error.issues
        .filter((issue) => !placed.includes(issue))
        .map(({ path, message }) => ({
          path: '',
          message: path ? `${path}: ${message}` : message,
        }));
      setFormError(allPlaced ? null : { ...error, issues: rest });
    },
    [fields, getValues, setError],
  );

  const clearError = useCallback(() => setFormError(null), []);
  return { formError, showError, clearError };
}
