'use client';

import { EntrantState } from '@/components/organizer/entrant-state';
import type { Detail, Entrant } from '@/components/organizer/queries';
import { Button } from '@/components/ui/button';
import { Facts } from '@/components/ui/card';
import { Copy } from '@/components/ui/copy';
import { DateTime } from '@/components/ui/date-time';
import { Sheet } from '@/components/ui/dialog';

function answer(value: string | number | boolean | null | undefined) {
  if (value === undefined || value === null || value === '') return <span className="text-muted">Not answered</span>;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return (
    <span dir="auto" className="wrap-anywhere">
      {String(value)}
    </span>
  );
}

/** Everything known of one entrant. */
export function EntrantSheet({
  entrant,
  tournament,
  onClose,
  onCheckIn,
}: {
  entrant: Entrant | null;
  tournament: Detail;
  onClose: () => void;
  /** Absent where this entrant cannot be checked in by the viewer. */
  onCheckIn?: (entrant: Entrant) => void;
}) {
  const facts = entrant
    ? [
        { label: 'State', value: <EntrantState entrant={entrant} /> },
        { label: 'Seed', value: entrant.seed ?? <span className="text-muted">Not seeded</span> },
        ...(entrant.contact
          ? [
              {
                label: 'E-mail',
                value: (
                  <a className="text-accent underline underline-offset-4" href={`mailto:${entrant.contact.email}`}>
                    {entrant.contact.email}
                  </a>
                ),
              },
            ]
          : []),
        ...(entrant.registeredAt ? [{ label: 'Registered', value: <DateTime value={entrant.registeredAt} /> }] : []),
        ...(entrant.checkedInAt ? [{ label: 'Checked in', value: <DateTime value={entrant.checkedInAt} /> }] : []),
        { label: 'Id', value: <Copy value={entrant.id} label="Copy the entrant's id" /> },
      ]
    : [];
  return (
    <Sheet open={entrant !== null} onOpenChange={(open) => !open && onClose()} title={entrant?.name ?? ''}>
      {entrant ? (
        <div className="grid grid-cols-1 gap-6">
          {onCheckIn ? (
            <Button variant="primary" onClick={() => onCheckIn(entrant)}>
              Check in
            </Button>
          ) : null}
          <Facts items={facts} />
          {entrant.roster.length > 0 ? (
            <section className="grid gap-2">
              <h3 className="label text-muted">Roster</h3>
              <ul className="divide-y">
                {entrant.roster.map((member) => (
                  <li key={member.userId} className="flex justify-between gap-4 py-2">
                    <span dir="auto" className="min-w-0 truncate">
                      {member.name}
                    </span>
                    <span className="text-muted">{member.role}</span>
                  </li>
                ))}
              </ul>
            </section>
          ) : null}
          {tournament.customFields.length > 0 && entrant.customFields ? (
            <section className="grid gap-2">
              <h3 className="label text-muted">Answers</h3>
              <Facts
                items={tournament.customFields.map(({ key, label }) => ({
                  label,
                  value: answer(entrant.customFields?.[key]),
                }))}
              />
            </section>
          ) : null}
        </div>
      ) : null}
    </Sheet>
  );
}
