'use client';

import { useFormContext, useWatch } from 'react-hook-form';
import { type FormValues, toSettings } from '@/components/tournaments/form/values';
import { Card, Facts } from '@/components/ui/data/card';
import { FormSection } from '@/components/ui/form/form-section';
import { DateTime, useViewerZone } from '@/components/ui/text/date-time';
import { formatMoney } from '@/domain/money/money';
import { formatInstant } from '@/domain/time/zones';
import { formatLabel } from '@/domain/tournaments/words';

function money(value: FormValues['entryFee']): string {
  return value && Number.isSafeInteger(value.amount) && value.amount > 0 ? formatMoney(value) : 'None';
}

/** The settings as players will see them. */
export function PreviewSection({ games }: { games: { id: string; name: string }[] }) {
  const { control } = useFormContext<FormValues>();
  const viewerZone = useViewerZone();
  const values = useWatch({ control }) as FormValues;
  const { startDate, timezone, registrationOpensAt, registrationClosesAt, checkInOpensAt, checkInClosesAt } = values;
  const settings = toSettings(values);
  const teams = values.teamSize !== 1;
  const when = (iso: string | null, otherwise: string) =>
    iso ? <DateTime value={iso} style="short" organizerZone={timezone} /> : otherwise;
  const bestOf = settings.formatOptions.bestOf ?? 1;
  const registrationRules = [
    values.requiresApproval ? 'with approval' : 'no approval needed',
    values.waitlistEnabled ? 'waitlist when full' : 'closed when full',
    values.allowCancel ? 'can cancel until the start' : 'cannot cancel',
  ];
  const questions = values.customFields.filter(({ label }) => label?.trim());
  const items = [
    { label: 'Game', value: games.find(({ id }) => id === values.game)?.name ?? 'Not chosen' },
    {
      label: 'Format',
      value: `${formatLabel(values.format)}, best of ${bestOf}`,
    },
    {
      label: 'Start',
      value: startDate ? (
        <>
          <DateTime value={startDate} organizerZone={timezone} />
          {formatInstant(startDate, viewerZone) === formatInstant(startDate, timezone) ? null : (
            <span className="block text-xs font-normal text-muted">
              {formatInstant(startDate, timezone, 'short')} in the tournament’s time zone
            </span>
          )}
        </>
      ) : (
        'Not set'
      ),
    },
    {
      label: 'Registration',
      value: (
        <>
          {when(registrationOpensAt, 'From publication')} to {when(registrationClosesAt, 'the start')}
        </>
      ),
    },
    {
      label: 'Check-in',
      value: checkInOpensAt ? (
        <>
          {when(checkInOpensAt, '')} to {when(checkInClosesAt, 'the start')}
        </>
      ) : (
        'When the organizer opens it'
      ),
    },
    {
      label: 'Participants',
      value: `${Number.isInteger(values.maxParticipants) ? values.maxParticipants : '?'} ${teams ? `teams of ${values.teamSize}` : 'players'}: ${registrationRules.join(', ')}`,
    },
    { label: 'Entry fee', value: money(values.entryFee) },
    { label: 'Prize pool', value: money(values.prizePool) },
    {
      label: 'Questions',
      value:
        questions.length === 0
          ? 'None'
          : questions.map(({ label, required }) => (required ? label : `${label} (optional)`)).join(', '),
    },
  ];
  return (
    <FormSection
      title="What players will see"
      description="Times are in your time zone; players see them in theirs. Nothing is public until you publish."
    >
      <Card title={<span dir="auto">{values.name.trim() || 'Unnamed tournament'}</span>}>
        <Facts items={items} />
      </Card>
    </FormSection>
  );
}
