'use client';

import { useState } from 'react';
import { Combobox } from '@/components/ui/form/combobox';
import { Input } from '@/components/ui/form/input';
import { useViewerZone } from '@/components/ui/text/date-time';
import { allZones, formatInstant, fromLocalInput, toLocalInput, zoneName } from '@/domain/time/zones';

let zones: { value: string; label: string; hint: string }[] | undefined;

function zoneOptions() {
  const now = new Date();
  zones ??= allZones().map((zone) => ({
    value: zone,
    label: zone.replaceAll('_', ' '),
    hint: zoneName(now, zone),
  }));
  return zones;
}

/** Selects a time zone. For use in a Field. */
export function ZoneSelect({ value, onValueChange }: { value: string; onValueChange: (zone: string) => void }) {
  return (
    <Combobox
      value={value}
      onValueChange={onValueChange}
      options={zoneOptions()}
      searchPlaceholder="Search for a city"
      empty="No time zones found."
    />
  );
}

/**
 * A date and time in the time zone `zone`. `value` and the argument of `onChange` are ISO 8601 in UTC, or null when empty.
 * Also shows the viewer's own time if it differs. For use in a Field.
 */
export function DateTimeField({
  value,
  onChange,
  zone,
  name,
  min,
  onBlur,
  disabled,
}: {
  value: string | null;
  onChange: (iso: string | null) => void;
  zone: string;
  name?: string;
  /** The earliest date that the picker offers, in ISO 8601. */
  min?: string;
  onBlur?: () => void;
  disabled?: boolean;
}) {
  const viewerZone = useViewerZone();
  const fromValue = value ? toLocalInput(value, zone) : '';
  const [typed, setTyped] = useState(fromValue);
  const [known, setKnown] = useState({ value, zone });
  if (known.value !== value || known.zone !== zone) {
    setKnown({ value, zone });
    setTyped(fromValue);
  }
  return (
    <div className="grid gap-1">
      <Input
        type="datetime-local"
        name={name}
        value={typed}
        min={min ? toLocalInput(min, zone) : undefined}
        disabled={disabled}
        onBlur={onBlur}
        suffix={<span className="numerals text-xs">{zoneName(value ? new Date(value) : new Date(), zone)}</span>}
        onChange={(event) => {
          setTyped(event.target.value);
          const next = fromLocalInput(event.target.value, zone);
          setKnown({ value: next, zone });
          onChange(next);
        }}
      />
      {value && viewerZone !== zone ? (
        <p className="text-xs text-faint">{formatInstant(value, viewerZone)} your time</p>
      ) : null}
    </div>
  );
}
