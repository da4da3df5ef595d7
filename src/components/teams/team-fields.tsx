'use client';

import type { UseFormReturn } from 'react-hook-form';
import type { z } from 'zod';
import { Field } from '@/components/ui/form/field';
import { Input } from '@/components/ui/form/input';
import type { teamForm } from '@/domain/teams/forms';

export type TeamInput = z.input<typeof teamForm>;
export type TeamValues = z.output<typeof teamForm>;

/** Name and tag, for creating and editing a team. */
export function TeamFields({ form }: { form: UseFormReturn<TeamInput, unknown, TeamValues> }) {
  const { errors } = form.formState;
  return (
    <>
      <Field label="Name" required error={errors.name?.message}>
        <Input {...form.register('name')} dir="auto" autoComplete="off" maxLength={80} placeholder="Night Owls" />
      </Field>
      <Field label="Tag" error={errors.tag?.message} hint="Two to six letters or digits, shown with the name.">
        <Input
          {...form.register('tag')}
          dir="auto"
          autoComplete="off"
          spellCheck={false}
          maxLength={6}
          placeholder="OWL"
          className="max-w-40"
        />
      </Field>
    </>
  );
}
