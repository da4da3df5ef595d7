'use client';

import { Controller, useFormContext } from 'react-hook-form';
import type { RegistrationValues } from '@/components/tournaments/registration/registration-form';
import type { RegistrationForm } from '@/components/tournaments/use-tournament';
import { Checkbox } from '@/components/ui/form/choices';
import { Field } from '@/components/ui/form/field';
import { Input } from '@/components/ui/form/input';
import { Select } from '@/components/ui/form/select';

type QuestionDefinition = RegistrationForm['fields'][number];

function QuestionField({ definition }: { definition: QuestionDefinition }) {
  const { control, register, formState } = useFormContext<RegistrationValues>();
  const { key, label, type, required, options = [], visibility, helpText } = definition;
  const name = `customFields.${key}` as const;
  const error = formState.errors.customFields?.[key]?.message;
  const hint =
    helpText || visibility === 'public' ? (
      <>
        {helpText ? <bdi className="block text-muted">{helpText}</bdi> : null}
        {visibility === 'public' ? 'Your answer is public.' : null}
      </>
    ) : undefined;

  if (type === 'checkbox') {
    return (
      <Field label={label} hideLabel group error={error} hint={hint} required={required}>
        <Controller
          control={control}
          name={name}
          render={({ field }) => (
            <Checkbox
              label={<bdi>{label}</bdi>}
              checked={field.value === true}
              onCheckedChange={field.onChange}
              name={field.name}
            />
          )}
        />
      </Field>
    );
  }
  if (type === 'select') {
    const choices = options.map((option) => ({ value: option, label: option }));
    return (
      <Field label={<bdi>{label}</bdi>} error={error} hint={hint} required={required}>
        <Controller
          control={control}
          name={name}
          render={({ field }) => (
            <Select
              value={typeof field.value === 'string' ? field.value : ''}
              onValueChange={field.onChange}
              options={choices}
              name={field.name}
            />
          )}
        />
      </Field>
    );
  }
  return (
    <Field label={<bdi>{label}</bdi>} error={error} hint={hint} required={required}>
      <Input
        {...register(name)}
        dir="auto"
        type={type === 'url' ? 'url' : 'text'}
        inputMode={type === 'number' ? 'decimal' : type === 'url' ? 'url' : undefined}
        placeholder={type === 'url' ? 'https://' : undefined}
        autoComplete="off"
        maxLength={2_000}
      />
    </Field>
  );
}

/** The organizer's questions, each with an input for its answer type. */
export function QuestionFields({ definitions }: { definitions: QuestionDefinition[] }) {
  const publicCount = definitions.filter(({ visibility }) => visibility === 'public').length;
  return (
    <>
      {publicCount < definitions.length ? (
        <p className="border-t pt-4 text-muted">
          Only the organizers can see your answers{publicCount > 0 ? ', unless noted otherwise' : ''}.
        </p>
      ) : null}
      {definitions.map((definition) => (
        <QuestionField key={definition.key} definition={definition} />
      ))}
    </>
  );
}
