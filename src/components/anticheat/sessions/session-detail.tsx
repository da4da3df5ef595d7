'use client';

import { useQuery } from '@tanstack/react-query';
import { ChevronLeft } from 'lucide-react';
import Link from 'next/link';
import { EndSession } from '@/components/anticheat/sessions/end-session';
import { SessionPlayers } from '@/components/anticheat/sessions/session-players';
import { SessionState } from '@/components/anticheat/sessions/session-state';
import { sessionsRefreshMs } from '@/components/anticheat/sessions/sessions-input';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { CopyButton } from '@/components/ui/text/copy';
import { DateTime } from '@/components/ui/text/date-time';
import { antiCheatGameNames } from '@/domain/anticheat/games';
import { counted } from '@/domain/text/counted';
import { useTRPC } from '@/trpc/client';

/** One session with its players. `base` is the path of the anti-cheat pages. */
export function SessionDetail({
  projectId,
  sessionId,
  base,
  canEnd,
}: {
  projectId: string;
  sessionId: string;
  base: string;
  canEnd: boolean;
}) {
  const trpc = useTRPC();
  const query = useQuery(
    trpc.antiCheat.staffSessions.get.queryOptions(
      { projectId, sessionId },
      { refetchInterval: ({ state }) => (state.data?.endedAt ? false : sessionsRefreshMs) },
    ),
  );
  const session = query.data;
  if (!session) {
    if (query.error) return <QueryError title="The session could not be loaded" query={query} />;
    return <SkeletonTable rows={4} label="Loading the session" />;
  }
  const { match, endedAt } = session;
  const isRunning = endedAt === null;
  return (
    <div className="grid grid-cols-1 gap-6">
      <header className="grid grid-cols-1 gap-2">
        <Link
          href={`${base}/sessions`}
          className="inline-flex items-center gap-1 justify-self-start text-muted hover:text-ink"
        >
          <ChevronLeft aria-hidden className="size-4" />
          Sessions
        </Link>
        <div className="flex flex-wrap items-center justify-between gap-3">
          <h1 className="display text-2xl wrap-anywhere">
            {match ? (
              <>
                M{match.number}, <bdi>{match.tournamentName}</bdi>
              </>
            ) : (
              session.matchId
            )}
          </h1>
          {isRunning && canEnd ? <EndSession projectId={projectId} sessionId={sessionId} /> : null}
        </div>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-muted">
          <SessionState endedAt={endedAt} />
          <span>{antiCheatGameNames[session.game]}</span>
          <span>
            Started <DateTime value={session.startedAt} style="short" />
          </span>
          {endedAt ? (
            <span>
              Ended <DateTime value={endedAt} style="short" />
              {session.endReason ? (
                <>
                  : <bdi>{session.endReason}</bdi>
                </>
              ) : null}
            </span>
          ) : null}
          <span>
            {session.covered} of {counted(Math.max(session.requested, session.covered), 'player')} covered
          </span>
          <Link
            href={`${base}?status=all&match=${encodeURIComponent(session.matchId)}`}
            className="underline underline-offset-4"
          >
            {counted(session.detections, 'detection')}
          </Link>
          {match ? (
            <Link
              href={`/tournaments/${match.tournamentSlug}/matches/${match.number}`}
              className="underline underline-offset-4"
            >
              Match page
            </Link>
          ) : null}
          <span className="inline-flex items-center gap-1">
            <code className="font-mono text-xs break-all">{sessionId}</code>
            <CopyButton value={sessionId} label="Copy session ID" />
          </span>
        </div>
      </header>
      <SessionPlayers projectId={projectId} sessionId={sessionId} isRunning={isRunning} />
    </div>
  );
}
