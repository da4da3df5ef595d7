'use client';

import { ArrowLeftRight } from 'lucide-react';
import { useState } from 'react';
import { SubstituteDialog } from '@/components/tournaments/desk/drawer/substitute-dialog';
import type { ParticipantDetail } from '@/components/tournaments/desk/queries';
import { Button } from '@/components/ui/form/button';
import { Copy } from '@/components/ui/text/copy';
import { teamRoleWords } from '@/domain/teams/roles';

type Member = ParticipantDetail['roster'][number];

/** Who plays for a team, and who could take their place. */
export function Roster({ entrant, onChanged }: { entrant: ParticipantDetail; onChanged: () => void }) {
  const [leaving, setLeaving] = useState<Member | null>(null);
  const maySubstitute = entrant.actions.includes('substitute');
  if (entrant.roster.length === 0) {
    return <p className="text-muted">This team gave up its roster when it cancelled.</p>;
  }
  return (
    <div className="grid grid-cols-1 gap-4">
      <ul className="divide-y">
        {entrant.roster.map((member) => (
          <li key={member.userId} className="flex items-center gap-4 py-2">
            <span className="grid min-w-0 flex-1">
              <span className="truncate">
                <bdi className="font-medium">{member.name}</bdi>{' '}
                <span className="text-muted">{teamRoleWords[member.role].name}</span>
              </span>
              <Copy value={member.userId} label={`Copy the id of ${member.name}`} />
            </span>
            {maySubstitute ? (
              <Button
                size="sm"
                className="max-md:h-11"
                icon={<ArrowLeftRight aria-hidden />}
                aria-label={`Substitute ${member.name}`}
                onClick={() => setLeaving(member)}
              >
                Substitute
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      {maySubstitute ? null : (
        <p className="text-muted">A player can be substituted while the team is in and the tournament is not over.</p>
      )}
      {leaving ? (
        <SubstituteDialog
          entrant={entrant}
          leaving={leaving}
          onClose={() => setLeaving(null)}
          onDone={() => {
            setLeaving(null);
            onChanged();
          }}
        />
      ) : null}
    </div>
  );
}
