'use client';

import { useCallback, useState } from 'react';
import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import { ErrorNote } from '@/components/ui/page/error-state';
import { type ReadError, readError } from '@/trpc/errors';

/** An error that belongs to no field, with its code and request ID. Renders nothing when there is no error. */
export function FormError({ error }: { error: ReadError | null | undefined }) {
  if (!error) return null;
  const formIssues = error.issues.filter((issue) => issue.path === '');
  return (
    <ErrorNote message={error.message} reason={error.reason} requestId={error.requestId}>
      {formIssues.map((issue) => (
        <p key={issue.message}>{issue.message}</p>
      ))}
    </ErrorNote>
  );
}

/**
 * Shows a server error in a react-hook-form: each issue at its field, the rest in `formError` for `<FormError>`. `fields`
 * maps server paths to field names where they differ. Focuses the first invalid field.
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
