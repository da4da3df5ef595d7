import type { ReactNode } from 'react';
import { Card } from '@/components/ui/data/card';
import { collected } from '@/domain/anticheat/collected';
import { evidenceLifetime, reportLifetime, runningWindow } from '@/domain/anticheat/lifetimes';
import { whoCan } from '@/domain/projects/permissions';
import { durationInWords } from '@/domain/time/durations';

type Point = { name: string; what: string };

function Points({ items, children }: { items: Point[]; children: ReactNode }) {
  return (
    <>
      <dl className="grid gap-x-6 gap-y-1 sm:grid-cols-[7rem_minmax(0,1fr)] sm:gap-y-2.5">
        {items.map(({ name, what }) => (
          <div key={name} className="max-sm:pb-2 sm:contents">
            <dt className="font-medium">{name}</dt>
            <dd className="text-muted">{what}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-4 border-t pt-3 text-muted">{children}</p>
    </>
  );
}

/**
 * What clients collect, who sees it, how long it is kept, and what a tournament that requires one asks for. `asksProvider`:
 * the instance sends what a rule found to a verdict provider.
 */
export function AboutAntiCheat({ asksProvider }: { asksProvider: boolean }) {
  const staff = whoCan('anticheat:read');
  return (
    <div className="grid grid-cols-1 gap-6">
      <Card
        title="What a client reports"
        description="Only while you run it, and only to the project that it is enrolled in."
      >
        <Points
          items={[
            { name: 'Heartbeat', what: 'That the client is running, every few seconds.' },
            ...Object.values(collected),
          ]}
        >
          The client is the organizer’s program and can add details to these reports. Ask the organizer what their
          client does.
        </Points>
      </Card>
      <Card title="Who sees it, and for how long">
        <Points
          items={[
            { name: 'Reports', what: `${staff} of the project. Deleted after ${durationInWords(reportLifetime)}.` },
            {
              name: 'Detections',
              what: 'What a rule found in your reports. The same people, and the organizer’s own servers. Kept as long as the project exists.',
            },
            ...(asksProvider
              ? [
                  {
                    name: 'AI verdicts',
                    what: 'When a rule finds something, the reports of that minute go to a service that the operator of this site has chosen. Staff see its opinion.',
                  },
                ]
              : []),
            {
              name: 'Evidence',
              what: `Files that the organizer’s servers upload, such as screenshots and demos. The same people. Deleted after ${durationInWords(evidenceLifetime)}.`,
            },
          ]}
        >
          Other players see none of it. A detection has no consequences by itself: people review it and decide.
        </Points>
      </Card>
      <Card title="When a tournament requires the client">
        <p className="text-muted">
          You can check in only while a client of yours is running in the organizer’s project: its last heartbeat must
          be less than {durationInWords(runningWindow)} old. On a team, this applies to the player who checks in. Keep
          it running until your matches are over, because staff see when it goes silent.
        </p>
      </Card>
    </div>
  );
}
