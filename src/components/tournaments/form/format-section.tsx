'use client';

import { Controller, useFormContext } from 'react-hook-form';
import { FormatOptionsFields } from '@/components/tournaments/form/format/format-options';
import { PlanSentence } from '@/components/tournaments/form/format/plan-sentence';
import { formatDescriptions } from '@/components/tournaments/form/labels';
import { MoneyField } from '@/components/tournaments/form/money-field';
import { SettingField } from '@/components/tournaments/form/setting-field';
import type { FormValues } from '@/components/tournaments/form/values';
import { RadioCards } from '@/components/ui/form/choices';
import { FieldRow, FormSection } from '@/components/ui/form/form-section';
import type { TournamentFormat } from '@/domain/tournaments/rules';
import { formatLabel } from '@/domain/tournaments/words';

/** How the winner is decided, with the options of the selected format. */
export function FormatSection() {
  const { control } = useFormContext<FormValues>();
  return (
    <FormSection title="Format" description="How the winner is decided. You can change it until the tournament starts.">
      <SettingField name="format" group required>
        {(locked) => (
          <Controller
            control={control}
            name="format"
            render={({ field }) => (
              <RadioCards
                value={field.value}
                onValueChange={field.onChange}
                options={(Object.keys(formatDescriptions) as TournamentFormat[]).map((value) => ({
                  value,
                  label: formatLabel(value),
                  hint: formatDescriptions[value],
                  disabled: locked,
                }))}
              />
            )}
          />
        )}
      </SettingField>
      <PlanSentence />
      <FormatOptionsFields />
    </FormSection>
  );
}

/** Entry fee and prize pool. */
export function MoneySection() {
  const { control } = useFormContext<FormValues>();
  return (
    <FormSection title="Entry fee and prize pool" description="Shown to players. Laurel does not process payments.">
      <FieldRow>
        {(['entryFee', 'prizePool'] as const).map((name) => (
          <SettingField key={name} name={name}>
            {(locked) => (
              <Controller
                control={control}
                name={name}
                render={({ field }) => (
                  <MoneyField
                    value={field.value}
                    onChange={field.onChange}
                    onBlur={field.onBlur}
                    label={name === 'entryFee' ? 'entry fee' : 'prize pool'}
                    locked={locked}
                  />
                )}
              />
            )}
          </SettingField>
        ))}
      </FieldRow>
    </FormSection>
  );
}
