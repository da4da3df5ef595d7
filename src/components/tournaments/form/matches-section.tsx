'use client';

import { Controller, useFormContext, useWatch } from 'react-hook-form';
import { SettingField, useLockReason } from '@/components/tournaments/form/setting-field';
import type { FormValues } from '@/components/tournaments/form/values';
import { RadioCards, Switch } from '@/components/ui/form/choices';
import { FieldRow, FormSection } from '@/components/ui/form/form-section';
import { Input } from '@/components/ui/form/input';

const toNumber = (value: unknown) => (value === '' || value == null ? undefined : Number(value));

/** How the tournament is run: the start, who enters results, and how long people wait for each other. */
export function MatchesSection() {
  const { control, register } = useFormContext<FormValues>();
  const mode = useWatch({ control, name: 'resultMode' });
  const startLock = useLockReason('autoStart');
  return (
    <FormSection
      title="Matches"
      description="How the tournament starts, who enters results, and how long players wait."
    >
      <Controller
        control={control}
        name="autoStart"
        render={({ field }) => (
          <Switch
            checked={field.value}
            onCheckedChange={field.onChange}
            disabled={startLock !== undefined}
            label="Start automatically"
            hint={
              startLock
                ? `Locked: ${startLock}.`
                : field.value
                  ? 'The bracket is drawn and play begins at the start time, with everyone who is approved.'
                  : 'You review the draw and start the tournament yourself.'
            }
          />
        )}
      />
      <SettingField name="resultMode" group required>
        {(locked) => (
          <Controller
            control={control}
            name="resultMode"
            render={({ field }) => (
              <RadioCards
                value={field.value}
                onValueChange={field.onChange}
                options={[
                  {
                    value: 'confirm',
                    label: 'Players',
                    hint: 'One side reports, the other confirms. Moderators rule on disputes.',
                    disabled: locked,
                  },
                  {
                    value: 'staff',
                    label: 'Staff only',
                    hint: 'Players see results but enter none.',
                    disabled: locked,
                  },
                ]}
              />
            )}
          />
        )}
      </SettingField>
      <FieldRow>
        {mode === 'confirm' ? (
          <SettingField
            name="autoConfirmMinutes"
            required
            hint="A report that nobody confirms or disputes counts after this time."
          >
            {(locked) => (
              <Input
                type="number"
                inputMode="numeric"
                min={1}
                max={10_080}
                suffix="minutes"
                readOnly={locked}
                {...register('autoConfirmMinutes', { setValueAs: toNumber })}
              />
            )}
          </SettingField>
        ) : null}
        <SettingField
          name="noShowGraceMinutes"
          required
          hint="How long a called match waits for players before they can lose by forfeit."
        >
          {(locked) => (
            <Input
              type="number"
              inputMode="numeric"
              min={0}
              max={1_440}
              suffix="minutes"
              readOnly={locked}
              {...register('noShowGraceMinutes', { setValueAs: toNumber })}
            />
          )}
        </SettingField>
      </FieldRow>
    </FormSection>
  );
}
