'use client';

import { Controller, type FieldPath, useFormContext, useWatch } from 'react-hook-form';
import { LockNote, lockedClass, SettingField, useLockReason } from '@/components/tournaments/form/setting-field';
import type { FormValues } from '@/components/tournaments/form/values';
import { RadioCards, Switch } from '@/components/ui/form/choices';
import { FieldRow, FormSection } from '@/components/ui/form/form-section';
import { Input } from '@/components/ui/form/input';

type SwitchName = 'requiresApproval' | 'waitlistEnabled' | 'allowCancel' | 'allowEdit' | 'requiresAntiCheat';

function SwitchSetting({ name, label, hint }: { name: SwitchName; label: string; hint: string }) {
  const { control } = useFormContext<FormValues>();
  const reason = useLockReason(name);
  return (
    <Controller
      control={control}
      name={name}
      render={({ field }) => (
        <Switch
          checked={field.value}
          onCheckedChange={field.onChange}
          disabled={reason !== undefined}
          label={label}
          hint={reason ? <LockNote reason={reason} /> : hint}
        />
      )}
    />
  );
}

function IntegerInput({
  name,
  min,
  max,
  locked,
  onChange,
}: {
  name: FieldPath<FormValues>;
  min: number;
  max: number;
  locked: boolean;
  onChange?: (value: number) => void;
}) {
  const { register } = useFormContext<FormValues>();
  return (
    <Input
      type="number"
      inputMode="numeric"
      min={min}
      max={max}
      readOnly={locked}
      className={lockedClass}
      {...register(name, {
        valueAsNumber: true,
        onChange: (event: { target: { value: string } }) => onChange?.(Number(event.target.value)),
      })}
    />
  );
}

/** Who can register, how many, and what participants can do on their own. */
export function ParticipantsSection() {
  const { control, setValue, trigger } = useFormContext<FormValues>();
  const teamSize = useWatch({ control, name: 'teamSize' });
  const [requiresApproval, waitlistEnabled] = useWatch({ control, name: ['requiresApproval', 'waitlistEnabled'] });
  const teams = teamSize !== 1;

  function setTeamSize(size: number) {
    const options = { shouldDirty: true, shouldTouch: true };
    setValue('teamSize', size, options);
    setValue('rosterMin', size, options);
    setValue('rosterMax', size === 1 ? 1 : size + 1, options);
    void trigger(['teamSize', 'rosterMin', 'rosterMax']);
  }

  return (
    <FormSection title="Participants" description="Who can register, and what they can do without asking you.">
      <SettingField name="teamSize" label="Who can register" group required>
        {(locked) => (
          <RadioCards
            value={teams ? 'teams' : 'players'}
            onValueChange={(value) => setTeamSize(value === 'teams' ? 5 : 1)}
            options={[
              { value: 'players', label: 'Players', hint: 'Each player competes alone.', disabled: locked },
              { value: 'teams', label: 'Teams', hint: 'A captain registers a roster.', disabled: locked },
            ]}
          />
        )}
      </SettingField>
      {teams ? (
        <div className="grid gap-5 sm:grid-cols-3">
          <SettingField name="teamSize" label="Team size" required>
            {(locked) => (
              <IntegerInput
                name="teamSize"
                min={2}
                max={20}
                locked={locked}
                onChange={(size) => {
                  if (!Number.isInteger(size) || size < 2) return;
                  setValue('rosterMin', size, { shouldDirty: true });
                  setValue('rosterMax', size + 1, { shouldDirty: true });
                  void trigger(['rosterMin', 'rosterMax']);
                }}
              />
            )}
          </SettingField>
          <SettingField name="rosterMin" required>
            {(locked) => <IntegerInput name="rosterMin" min={1} max={40} locked={locked} />}
          </SettingField>
          <SettingField name="rosterMax" required hint="Including substitutes.">
            {(locked) => <IntegerInput name="rosterMax" min={1} max={40} locked={locked} />}
          </SettingField>
        </div>
      ) : null}
      <FieldRow>
        <SettingField
          name="maxParticipants"
          label={teams ? 'Maximum teams' : 'Maximum players'}
          required
          hint="Never exceeded, even if many register at once."
        >
          {(locked) => <IntegerInput name="maxParticipants" min={2} max={10_000} locked={locked} />}
        </SettingField>
      </FieldRow>
      <div className="grid gap-4">
        <SwitchSetting
          name="waitlistEnabled"
          label="Offer a waitlist when it is full"
          hint="When a slot opens up, the first on the waitlist gets it automatically."
        />
        <SwitchSetting
          name="requiresApproval"
          label="Require approval"
          hint={
            requiresApproval && waitlistEnabled
              ? 'Registrations wait until an organizer approves them, but anyone who registers while it is full joins the waitlist, and a slot that opens up approves the first of them without asking you.'
              : 'Registrations wait until an organizer approves them.'
          }
        />
        <SwitchSetting
          name="allowCancel"
          label="Participants can cancel"
          hint="Until the start. If off, they have to ask you to remove them."
        />
        <SwitchSetting
          name="allowEdit"
          label="Participants can edit their answers"
          hint="If off, their first answers are final."
        />
        <SwitchSetting
          name="requiresAntiCheat"
          label="Require a running anti-cheat client"
          hint="Participants without one cannot check in on their own."
        />
      </div>
    </FormSection>
  );
}
