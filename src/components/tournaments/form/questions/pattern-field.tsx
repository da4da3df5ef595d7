'use client';

import { CircleAlert, CircleCheck, CircleSlash } from 'lucide-react';
import { useState } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import { lockedClass, SettingField } from '@/components/tournaments/form/setting-field';
import type { FormValues } from '@/components/tournaments/form/values';
import { cn } from '@/components/ui/cn';
import { Field } from '@/components/ui/form/field';
import { FieldRow } from '@/components/ui/form/form-section';
import { Input } from '@/components/ui/form/input';
import { readPattern } from '@/domain/questions/patterns';

/** Whether what is tried would be taken, in an icon and words. */
function PatternResult({ pattern, tried }: { pattern: string; tried: string }) {
  const read = readPattern(pattern);
  if (!read) {
    return (
      <span className="flex items-center gap-1.5 text-danger">
        <CircleAlert aria-hidden className="size-3.5 shrink-0" />
        The pattern cannot be read.
      </span>
    );
  }
  if (tried.trim() === '') return 'Type an answer as an entrant would.';
  return read.fits(tried.trim()) ? (
    <span className="flex items-center gap-1.5 text-accent">
      <CircleCheck aria-hidden className="size-3.5 shrink-0" />
      Fits: this would be taken.
    </span>
  ) : (
    <span className="flex items-center gap-1.5 text-danger">
      <CircleSlash aria-hidden className="size-3.5 shrink-0" />
      Does not fit: this would be refused.
    </span>
  );
}

/** The form that an answer must have, and a place to try it before entrants do. */
export function PatternField({ index, locked }: { index: number; locked: boolean }) {
  const { register, control } = useFormContext<FormValues>();
  const pattern = useWatch({ control, name: `customFields.${index}.pattern` }) ?? '';
  const [tried, setTried] = useState('');
  return (
    <FieldRow>
      <SettingField
        name={`customFields.${index}.pattern`}
        of="customFields"
        label="Pattern"
        hint={
          <>
            A regular expression for the whole answer, such as{' '}
            <code className="font-mono whitespace-nowrap">{'[a-z0-9_.]{2,32}'}</code>.
          </>
        }
      >
        {() => (
          <Input
            {...register(`customFields.${index}.pattern`)}
            readOnly={locked}
            maxLength={200}
            spellCheck={false}
            autoCapitalize="off"
            className={cn('font-mono', lockedClass)}
          />
        )}
      </SettingField>
      {pattern === '' ? null : (
        <Field
          label="Try it"
          hint={<span aria-live="polite">{<PatternResult pattern={pattern} tried={tried} />}</span>}
        >
          <Input
            value={tried}
            onChange={(event) => setTried(event.target.value)}
            // What is tried is not part of the form, and Enter must not send it.
            onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
            autoComplete="off"
            dir="auto"
          />
        </Field>
      )}
    </FieldRow>
  );
}
