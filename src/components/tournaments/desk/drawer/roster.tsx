'use client';

import { ArrowLeftRight } from 'lucide-react';
import { useState } from 'react';
import { SubstituteDialog } from '@/components/tournaments/desk/drawer/substitute-dialog';
import type { ParticipantDetail } from '@/components/tournaments/desk/queries';
import { Button } from '@/components/ui/form/button';
import { Copy } from '@/components/ui/text/copy';
import { teamRoleWords } from '@/domain/teams/roles';

type Member = ParticipantDetail['roster'][number];

/** A team's roster, with substitutions where the server allows them. */
export function Roster({ participant, onChanged }: { participant: ParticipantDetail; onChanged: () => void }) {
  const [leaving, setLeaving] = useState<Member | null>(null);
  const canSubstitute = participant.actions.includes('substitute');
  if (participant.roster.length === 0) {
    return <p className="text-muted">The roster was released when the team cancelled.</p>;
  }
  return (
    <div className="grid grid-cols-1 gap-4">
      <ul className="divide-y">
        {participant.roster.map((member) => (
          <li key={member.userId} className="flex items-center gap-4 py-2">
            <span className="grid min-w-0 flex-1">
              <span className="truncate">
                <bdi className="font-medium">{member.name}</bdi>{' '}
                <span className="text-muted">{teamRoleWords[member.role].name}</span>
              </span>
              <Copy value={member.userId} label={`Copy the player ID of ${member.name}`} />
            </span>
            {canSubstitute ? (
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
      {canSubstitute ? null : (
        <p className="text-muted">
          You can substitute players while the team has a slot and the tournament is not over.
        </p>
      )}
      {leaving ? (
        <SubstituteDialog
          participant={participant}
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
