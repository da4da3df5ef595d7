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

/** Whether the test answer matches the pattern, as icon and text. */
function PatternResult({ pattern, testAnswer }: { pattern: string; testAnswer: string }) {
  const read = readPattern(pattern);
  if (!read) {
    return (
      <span className="flex items-center gap-1.5 text-danger">
        <CircleAlert aria-hidden className="size-3.5 shrink-0" />
        This is not a valid pattern.
      </span>
    );
  }
  if (testAnswer.trim() === '') return 'Type an answer as a participant would.';
  return read.matches(testAnswer.trim()) ? (
    <span className="flex items-center gap-1.5 text-accent">
      <CircleCheck aria-hidden className="size-3.5 shrink-0" />
      Valid: this answer would be accepted.
    </span>
  ) : (
    <span className="flex items-center gap-1.5 text-danger">
      <CircleSlash aria-hidden className="size-3.5 shrink-0" />
      Invalid: this answer would be rejected.
    </span>
  );
}

/** The pattern of a question's answers, with a field to test it. */
export function PatternField({ index, locked }: { index: number; locked: boolean }) {
  const { register, control } = useFormContext<FormValues>();
  const pattern = useWatch({ control, name: `customFields.${index}.pattern` }) ?? '';
  const [testAnswer, setTestAnswer] = useState('');
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
          hint={<span aria-live="polite">{<PatternResult pattern={pattern} testAnswer={testAnswer} />}</span>}
        >
          <Input
            value={testAnswer}
            onChange={(event) => setTestAnswer(event.target.value)}
            // The test answer is not part of the form, and Enter must not submit it.
            onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
            autoComplete="off"
            dir="auto"
          />
        </Field>
      )}
    </FieldRow>
  );
}
