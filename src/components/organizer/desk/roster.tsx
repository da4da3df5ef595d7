'use client';

import type { Detail, Managed } from '@/components/organizer/queries';

const roles = { captain: 'Captain', player: 'Player', substitute: 'Substitute' } as const;

/** Who plays for a team. */
export function Roster({ entrant }: { entrant: Managed; tournament: Detail; onChanged: () => void }) {
  return (
    <ul className="divide-y">
      {entrant.roster.map((member) => (
        <li key={member.userId} className="flex items-center justify-between gap-4 py-2">
          <span dir="auto" className="min-w-0 truncate">
            {member.name}
          </span>
          <span className="text-muted">{roles[member.role]}</span>
        </li>
      ))}
    </ul>
  );
}
