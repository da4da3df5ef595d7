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
  const [leaving, setLeaving] = useState<(Member & { userId: string }) | null>(null);
  const canSubstitute = participant.actions.includes('substitute');
  if (participant.roster.length === 0) {
    const text =
      participant.userId === null
        ? 'No players are listed for this team.'
        : 'The roster was released when the team cancelled.';
    return <p className="text-muted">{text}</p>;
  }
  return (
    <div className="grid grid-cols-1 gap-4">
      <ul className="divide-y">
        {participant.roster.map(({ userId, ...member }) => (
          <li key={userId ?? member.name} className="flex items-center gap-4 py-2">
            <span className="grid min-w-0 flex-1">
              <span className="truncate">
                <bdi className="font-medium">{member.name}</bdi>{' '}
                <span className="text-muted">{teamRoleWords[member.role].name}</span>
              </span>
              {userId === null ? (
                <span className="text-muted">Guest</span>
              ) : (
                <Copy value={userId} label={`Copy the player ID of ${member.name}`} />
              )}
            </span>
            {canSubstitute && userId !== null ? (
              <Button
                size="sm"
                className="max-md:h-11"
                icon={<ArrowLeftRight aria-hidden />}
                aria-label={`Substitute ${member.name}`}
                onClick={() => setLeaving({ ...member, userId })}
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
