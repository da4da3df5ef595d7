'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import Link from 'next/link';
import { EndSession } from '@/components/anticheat/sessions/end-session';
import { SessionPlayers } from '@/components/anticheat/sessions/session-players';
import { SessionState } from '@/components/anticheat/sessions/session-state';
import { matchSessionsInput, sessionsRefreshMs } from '@/components/anticheat/sessions/sessions-input';
import { Card } from '@/components/ui/data/card';
import { Button } from '@/components/ui/form/button';
import { FormError } from '@/components/ui/form/form-error';
import { QueryError } from '@/components/ui/page/query-error';
import { RelativeTime } from '@/components/ui/text/date-time';
import { antiCheatGames } from '@/domain/anticheat/games';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

/** The newest anti-cheat session of a match, for staff: who is covered, whose client runs, and starting and ending it. */
export function MatchSessions({
  project,
  matchId,
  game,
  isOver,
  isRequired,
}: {
  project: { id: string; slug: string };
  matchId: string;
  game: string;
  /** Whether the match is decided. */
  isOver: boolean;
  /** Whether the tournament requires anti-cheat; otherwise only a session that exists is shown. */
  isRequired: boolean;
}) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const query = useQuery(
    trpc.antiCheat.staffSessions.list.queryOptions(matchSessionsInput(project.id, matchId), {
      refetchInterval: sessionsRefreshMs,
    }),
  );
  const start = useMutation(
    trpc.antiCheat.staffSessions.start.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: trpc.antiCheat.staffSessions.pathKey() }),
    }),
  );
  const [session] = query.data?.items ?? [];
  const played = antiCheatGames.find((one) => one === game);
  if (query.isError && !query.data)
    return <QueryError title="The anti-cheat sessions could not be loaded" query={query} />;
  if (!query.data || (!session && !(isRequired && played && !isOver))) return null;
  const isRunning = session?.endedAt === null;
  return (
    <Card
      title="Anti-cheat"
      description="Only staff see this."
      action={
        isRunning ? (
          <EndSession projectId={project.id} sessionId={session.id} />
        ) : played && !isOver ? (
          <Button
            size="sm"
            icon={<ShieldCheck aria-hidden />}
            loading={start.isPending}
            onClick={() => start.mutate({ projectId: project.id, game: played, matchId })}
          >
            Start session
          </Button>
        ) : null
      }
    >
      <div className="grid grid-cols-1 gap-4">
        <FormError error={start.error ? readError(start.error) : null} />
        {session ? (
          <>
            <p className="flex flex-wrap items-center gap-x-3 gap-y-2 text-muted">
              <SessionState endedAt={session.endedAt} />
              <span>
                Started <RelativeTime value={session.startedAt} />
              </span>
              <Link
                href={`/dashboard/${project.slug}/anti-cheat/sessions/${session.id}`}
                className="underline underline-offset-4"
              >
                Session
              </Link>
            </p>
            <SessionPlayers key={session.id} projectId={project.id} sessionId={session.id} isRunning={isRunning} />
          </>
        ) : (
          <p className="text-muted">
            No session covers this match yet. One starts with the game server, or when you start it here.
          </p>
        )}
      </div>
    </Card>
  );
}
