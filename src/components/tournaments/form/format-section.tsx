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
  rounds: { label: 'Rounds', hint: 'Empty: decided by the number of entrants.', min: 1, max: 20 },
  winsToAdvance: { label: 'Wins to advance', hint: 'Empty: nobody leaves early.', min: 1, max: 10 },
  lossesToEliminate: { label: 'Losses to go out', hint: 'Empty: everyone plays on.', min: 1, max: 10 },
  groups: { label: 'Groups', hint: 'Empty: decided by the number of entrants.', min: 1, max: 64 },
  advancePerGroup: { label: 'Advance from each group', hint: 'Empty: the usual number.', min: 1, max: 32 },
  pointsForWin: { label: 'Points for a win', hint: 'Empty: the usual number.', min: 0, max: 100 },
  pointsForDraw: { label: 'Points for a draw', hint: 'Empty: the usual number.', min: 0, max: 100 },
  pointsForLoss: { label: 'Points for a loss', hint: 'Empty: the usual number.', min: 0, max: 100 },
};

const bestOf = [1, 3, 5, 7, 9].map((games) => ({
  value: String(games),
  label: games === 1 ? 'Single game' : `Best of ${games}`,
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

/** How winners are found; only the options that the format knows are offered. */
export function FormatSection() {
  const { control, register } = useFormContext<FormValues>();
  const format = useWatch({ control, name: 'format' });
  const known: readonly string[] = OPTIONS_OF_FORMAT[format];
  const shown = (Object.keys(numbers) as NumberOption[]).filter((option) => known.includes(option));
  return (
    <FormSection title="Format" description="How a winner is found. It can change until the tournament starts.">
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
                  label: formatDescriptions[value].word,
                  hint: formatDescriptions[value].about,
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
          <SettingField name="formatOptions.legs" of="formatOptions" label="Each pair meets" required>
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
        {shown.map((option) => (
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
        <Toggle name="thirdPlace" label="Play for third place" hint="The losers of the semi-finals meet once more." />
      ) : null}
      {known.includes('grandFinalReset') ? (
        <Toggle
          name="grandFinalReset"
          label="Grand final reset"
          hint="If the lower bracket's winner takes the grand final, a second one decides."
        />
      ) : null}
    </FormSection>
  );
}

/** What it costs to enter and what can be won. */
export function MoneySection() {
  const { control } = useFormContext<FormValues>();
  return (
    <FormSection title="Fee and prize" description="Shown to players. Laurel takes no payments here.">
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
