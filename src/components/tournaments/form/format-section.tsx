'use client';

import { Controller, useFormContext, useWatch } from 'react-hook-form';
import { formatDescriptions } from '@/components/tournaments/form/labels';
import { MoneyField } from '@/components/tournaments/form/money-field';
import { SettingField, useLockReason } from '@/components/tournaments/form/setting-field';
import type { FormValues } from '@/components/tournaments/form/values';
import { RadioCards, Switch } from '@/components/ui/form/choices';
import { FieldRow, FormSection } from '@/components/ui/form/form-section';
import { Input } from '@/components/ui/form/input';
import { Select } from '@/components/ui/form/select';
import { OPTIONS_OF_FORMAT } from '@/domain/brackets/options';
import type { FormatOptions, TournamentFormat } from '@/domain/tournaments/rules';
import { formatLabel } from '@/domain/tournaments/words';

type NumberOption = Extract<
  keyof FormatOptions,
  | 'rounds'
  | 'winsToAdvance'
  | 'lossesToEliminate'
  | 'groups'
  | 'advancePerGroup'
  | 'pointsForWin'
  | 'pointsForDraw'
  | 'pointsForLoss'
>;

const numbers: Record<NumberOption, { label: string; hint: string; min: number; max: number }> = {
  rounds: { label: 'Rounds', hint: 'Leave empty to derive it from the number of participants.', min: 1, max: 20 },
  winsToAdvance: { label: 'Wins to advance', hint: 'Leave empty so that no one advances early.', min: 1, max: 10 },
  lossesToEliminate: {
    label: 'Losses to elimination',
    hint: 'Leave empty so that everyone plays every round.',
    min: 1,
    max: 10,
  },
  groups: { label: 'Groups', hint: 'Leave empty to derive it from the number of participants.', min: 1, max: 64 },
  advancePerGroup: { label: 'Advance from each group', hint: 'Leave empty for the default.', min: 1, max: 32 },
  pointsForWin: { label: 'Points for a win', hint: 'Leave empty for the default.', min: 0, max: 100 },
  pointsForDraw: { label: 'Points for a draw', hint: 'Leave empty for the default.', min: 0, max: 100 },
  pointsForLoss: { label: 'Points for a loss', hint: 'Leave empty for the default.', min: 0, max: 100 },
};

const bestOf = [1, 3, 5, 7, 9].map((games) => ({
  value: String(games),
  label: games === 1 ? 'Best of 1' : `Best of ${games}`,
}));

function Toggle({ name, label, hint }: { name: 'thirdPlace' | 'grandFinalReset'; label: string; hint: string }) {
  const { control } = useFormContext<FormValues>();
  const locked = useLockReason('formatOptions') !== undefined;
  return (
    <Controller
      control={control}
      name={`formatOptions.${name}`}
      render={({ field }) => (
        <Switch
          checked={field.value ?? false}
          onCheckedChange={field.onChange}
          disabled={locked}
          label={label}
          hint={hint}
        />
      )}
    />
  );
}

/** How the winner is decided, with the options of the selected format. */
export function FormatSection() {
  const { control, register } = useFormContext<FormValues>();
  const format = useWatch({ control, name: 'format' });
  const known: readonly string[] = OPTIONS_OF_FORMAT[format];
  const numberOptions = (Object.keys(numbers) as NumberOption[]).filter((option) => known.includes(option));
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
      <FieldRow>
        <SettingField name="formatOptions.bestOf" of="formatOptions" label="Match length" required>
          {(locked) => (
            <Controller
              control={control}
              name="formatOptions.bestOf"
              render={({ field }) => (
                <Select
                  value={String(field.value ?? 1)}
                  onValueChange={(value) => field.onChange(Number(value))}
                  options={bestOf}
                  disabled={locked}
                />
              )}
            />
          )}
        </SettingField>
        {known.includes('legs') ? (
          <SettingField name="formatOptions.legs" of="formatOptions" label="Each pair plays" required>
            {(locked) => (
              <Controller
                control={control}
                name="formatOptions.legs"
                render={({ field }) => (
                  <Select
                    value={String(field.value ?? 1)}
                    onValueChange={(value) => field.onChange(Number(value))}
                    options={[
                      { value: '1', label: 'Once' },
                      { value: '2', label: 'Twice' },
                    ]}
                    disabled={locked}
                  />
                )}
              />
            )}
          </SettingField>
        ) : null}
        {numberOptions.map((option) => (
          <SettingField
            key={`${format} ${option}`}
            name={`formatOptions.${option}`}
            of="formatOptions"
            label={numbers[option].label}
            hint={numbers[option].hint}
          >
            {(locked) => (
              <Input
                type="number"
                inputMode="numeric"
                min={numbers[option].min}
                max={numbers[option].max}
                readOnly={locked}
                {...register(`formatOptions.${option}`, {
                  setValueAs: (value: unknown) => (value === '' || value == null ? undefined : Number(value)),
                })}
              />
            )}
          </SettingField>
        ))}
      </FieldRow>
      {known.includes('thirdPlace') ? (
        <Toggle name="thirdPlace" label="Third-place match" hint="The losers of the semifinals play for third place." />
      ) : null}
      {known.includes('grandFinalReset') ? (
        <Toggle
          name="grandFinalReset"
          label="Grand final reset"
          hint="If the lower bracket winner wins the grand final, a second one decides."
        />
      ) : null}
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
