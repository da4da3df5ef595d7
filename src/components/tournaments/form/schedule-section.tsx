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
                // The other times may have been wrong, or right, because of this one.
                const others: FieldPath<FormValues>[] = ['startDate', 'registrationOpensAt', 'registrationClosesAt'];
                others.push('checkInOpensAt', 'checkInClosesAt', 'rosterLockAt');
                const shown = others.filter((each) => each in formState.touchedFields || each in formState.errors);
                if (shown.length > 0) void trigger(shown);
              }}
            />
          )}
        />
      )}
    </SettingField>
  );
}

const hour = 3_600_000;

/** When it starts, and when entrants register and check in. */
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
      description="Times are on the clock of the zone you choose. Players see them in their own. You can open and close both windows by hand at any moment."
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
      <ScheduleTimeField name="startDate" required hint="The first matches. Everything else ends here at the latest." />
      <FieldRow>
        <ScheduleTimeField name="registrationOpensAt" hint="Empty: as soon as you publish." />
        <ScheduleTimeField name="registrationClosesAt" hint="Empty: at the start." />
      </FieldRow>
      <FieldRow>
        <ScheduleTimeField name="checkInOpensAt" hint="Empty: closed until you open it." />
        <ScheduleTimeField name="checkInClosesAt" hint="Empty: at the start." />
      </FieldRow>
      {teamSize === 1 ? null : (
        <ScheduleTimeField
          name="rosterLockAt"
          hint="Captains cannot change their rosters from then on; you can still substitute. Empty: at the start."
        />
      )}
      {start && !checkInOpens ? (
        <div className="flex flex-wrap items-center gap-3 rounded border bg-sunken px-4 py-3 text-muted">
          <span className="min-w-0 flex-1">
            Check-in shows who is really there. Usual: from an hour to a quarter of an hour before the start.
          </span>
          <Button size="sm" onClick={suggest}>
            Set check-in
          </Button>
        </div>
      ) : null}
    </FormSection>
  );
}
