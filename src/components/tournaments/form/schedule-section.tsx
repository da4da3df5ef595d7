'use client';

import { Controller, type FieldPath, useFormContext, useWatch } from 'react-hook-form';
import { SettingField } from '@/components/tournaments/form/setting-field';
import type { FormValues } from '@/components/tournaments/form/values';
import { Button } from '@/components/ui/form/button';
import { DateTimeField, ZoneSelect } from '@/components/ui/form/date-time-field';
import { FieldRow, FormSection } from '@/components/ui/form/form-section';

type ScheduleField =
  | 'startDate'
  | 'registrationOpensAt'
  | 'registrationClosesAt'
  | 'checkInOpensAt'
  | 'checkInClosesAt'
  | 'rosterLockAt';

function ScheduleTimeField({ name, hint, required }: { name: ScheduleField; hint: string; required?: boolean }) {
  const { control, formState, trigger } = useFormContext<FormValues>();
  const zone = useWatch({ control, name: 'timezone' });
  return (
    <SettingField name={name} hint={hint} required={required}>
      {(locked) => (
        <Controller
          control={control}
          name={name}
          render={({ field }) => (
            <DateTimeField
              value={field.value}
              zone={zone}
              name={name}
              disabled={locked}
              onBlur={field.onBlur}
              onChange={(iso) => {
                field.onChange(iso);
                // Whether the other times are valid can depend on this one.
                const others: FieldPath<FormValues>[] = ['startDate', 'registrationOpensAt', 'registrationClosesAt'];
                others.push('checkInOpensAt', 'checkInClosesAt', 'rosterLockAt');
                const toValidate = others.filter((each) => each in formState.touchedFields || each in formState.errors);
                if (toValidate.length > 0) void trigger(toValidate);
              }}
            />
          )}
        />
      )}
    </SettingField>
  );
}

const hour = 3_600_000;

/** Start, registration, check-in and roster lock. */
export function ScheduleSection() {
  const { control, setValue } = useFormContext<FormValues>();
  const [start, checkInOpens, teamSize] = useWatch({ control, name: ['startDate', 'checkInOpensAt', 'teamSize'] });

  function suggest() {
    if (!start) return;
    const before = (hours: number) => new Date(Date.parse(start) - hours * hour).toISOString();
    const options = { shouldDirty: true, shouldValidate: true, shouldTouch: true };
    setValue('checkInOpensAt', before(1), options);
    setValue('checkInClosesAt', before(0.25), options);
  }

  return (
    <FormSection
      title="Schedule"
      description="Enter times in the time zone you choose; players see them in their own. You can also open and close registration and check-in manually."
    >
      <SettingField name="timezone" required>
        {() => (
          <Controller
            control={control}
            name="timezone"
            render={({ field }) => <ZoneSelect value={field.value} onValueChange={field.onChange} />}
          />
        )}
      </SettingField>
      <ScheduleTimeField
        name="startDate"
        required
        hint="When the first matches begin. Registration and check-in close no later than this."
      />
      <FieldRow>
        <ScheduleTimeField name="registrationOpensAt" hint="Leave empty to open when you publish." />
        <ScheduleTimeField name="registrationClosesAt" hint="Leave empty to close at the start." />
      </FieldRow>
      <FieldRow>
        <ScheduleTimeField name="checkInOpensAt" hint="Leave empty to open it manually." />
        <ScheduleTimeField name="checkInClosesAt" hint="Leave empty to close at the start." />
      </FieldRow>
      {teamSize === 1 ? null : (
        <ScheduleTimeField
          name="rosterLockAt"
          hint="Captains cannot change their rosters after this; you can still substitute players. Leave empty to lock at the start."
        />
      )}
      {start && !checkInOpens ? (
        <div className="flex flex-wrap items-center gap-3 rounded border bg-sunken px-4 py-3 text-muted">
          <span className="min-w-0 flex-1">
            Check-in shows who is really there. It usually runs from 60 to 15 minutes before the start.
          </span>
          <Button size="sm" onClick={suggest}>
            Set check-in
          </Button>
        </div>
      ) : null}
    </FormSection>
  );
}
