'use client';

import type { ParticipantCounts, Tournament } from '@/components/tournaments/desk/queries';
import { Card } from '@/components/ui/data/card';
import { Progress } from '@/components/ui/data/progress';

/** Slots, check-ins and waitlist at a glance. */
export function CapacityCard({ tournament, counts }: { tournament: Tournament; counts?: ParticipantCounts }) {
  const { currentParticipants, maxParticipants, waitlistedParticipants, waitlistEnabled, requiresApproval } =
    tournament;
  const free = Math.max(0, maxParticipants - currentParticipants);
  const facts = [
    { label: 'Slots left', value: free, shown: true },
    {
      label: 'Awaiting approval',
      value: counts?.pending ?? 0,
      shown: counts !== undefined && (requiresApproval || counts.pending > 0),
    },
    { label: 'On the waitlist', value: waitlistedParticipants, shown: waitlistEnabled || waitlistedParticipants > 0 },
  ].filter(({ shown }) => shown);
  return (
    <Card title="Participants">
      <div className="grid gap-4">
        <Progress
          value={currentParticipants}
          max={maxParticipants}
          label={free === 0 ? 'Full' : 'Slots taken'}
          unit={tournament.teamSize === 1 ? 'players' : 'teams'}
        />
        {counts && counts.approved > 0 ? (
          <Progress
            value={counts.checkedIn}
            max={counts.notCheckedIn + counts.checkedIn}
            label="Checked in"
            tone={tournament.checkInOpen ? 'live' : 'accent'}
          />
        ) : null}
        <dl className="flex flex-wrap gap-x-8 gap-y-3">
          {facts.map(({ label, value }) => (
            <div key={label}>
              <dt className="text-muted">{label}</dt>
              <dd className="figure text-2xl">{value}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Card>
  );
}
