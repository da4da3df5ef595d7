import Link from 'next/link';
import type { ReactNode } from 'react';
import { playerName } from '@/components/anticheat/player-name';
import type { Detection } from '@/components/anticheat/types';
import { Copy } from '@/components/ui/text/copy';
import { DateTime } from '@/components/ui/text/date-time';
import { counted } from '@/domain/text/counted';

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-1 gap-0.5">
      <dt className="text-xs text-muted">{term}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  );
}

const linkClass = 'underline decoration-line-strong underline-offset-4 hover:decoration-2';

/** Whom and what a detection is about. `base` is the path of the project's anti-cheat pages. */
export function DetectionFacts({ detection, base }: { detection: Detection; base: string }) {
  const { player, match, matchId, session, client } = detection;
  return (
    <dl className="grid grid-cols-1 gap-4 rounded border bg-surface p-5 sm:grid-cols-2">
      <Fact term="Player">
        <Link href={`${base}?status=all&player=${player.userId}`} className={linkClass}>
          <bdi>{playerName(player)}</bdi>
        </Link>
        {player.beforeTakeover ? (
          <span className="block text-muted">
            The owner of the email address took the account over later, and may not have played here.
          </span>
        ) : null}
      </Fact>
      <Fact term="Match">
        {match ? (
          <>
            <Link href={`/tournaments/${match.tournamentSlug}/matches/${match.number}`} className={linkClass}>
              M{match.number}
            </Link>
            , <bdi>{match.tournamentName}</bdi> ·{' '}
          </>
        ) : (
          <>
            <bdi>{matchId}</bdi> ·{' '}
          </>
        )}
        <Link href={`${base}?status=all&match=${encodeURIComponent(matchId)}`} className={linkClass}>
          its detections
        </Link>
      </Fact>
      <Fact term="Minute">
        <DateTime value={detection.windowStart} />
      </Fact>
      <Fact term="Raised">
        <DateTime value={detection.raisedAt} />
      </Fact>
      <Fact term="Session">
        <Copy value={session.id} />
        <span className="block text-muted">
          {session.endedAt ? (
            <>
              Ended <DateTime value={session.endedAt} style="short" />
              {session.endReason ? <bdi> ({session.endReason})</bdi> : null}
            </>
          ) : (
            'Running'
          )}
          {session.requested > 0 ? ` · ${session.wired} of ${counted(session.requested, 'player')} covered` : null}
        </span>
      </Fact>
      <Fact term="Client">
        {client ? (
          <>
            <bdi>{client.deviceName ?? 'Unnamed device'}</bdi>
            <span className="block text-muted">
              Enrolled <DateTime value={client.enrolledAt} style="date" />
              {client.revokedAt ? (
                <>
                  {' · revoked '}
                  <DateTime value={client.revokedAt} style="date" />
                </>
              ) : null}
            </span>
          </>
        ) : (
          <span className="text-muted">Deleted</span>
        )}
      </Fact>
    </dl>
  );
}
