'use client';

import { useQuery } from '@tanstack/react-query';
import { ChevronLeft, Tv } from 'lucide-react';
import dynamic from 'next/dynamic';
import Link from 'next/link';
import { GameTable } from '@/components/brackets/game-table';
import { MatchFacts } from '@/components/brackets/match-facts';
import { describeNext, isBye, matchTitle, slotName } from '@/components/brackets/match-words';
import { MatchFeed } from '@/components/matches/feed/match-feed';
import { MatchCall } from '@/components/matches/match-call';
import { MatchReport } from '@/components/matches/match-report';
import { ProposedTime } from '@/components/matches/schedule/proposed-time';
import { CalendarLink } from '@/components/tournaments/calendar-link';
import { useTournament } from '@/components/tournaments/use-tournament';
import { Facts } from '@/components/ui/data/card';
import { ButtonLink } from '@/components/ui/form/button';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { DateTime } from '@/components/ui/text/date-time';
import { useTRPC } from '@/trpc/client';

// Visitors only look on, and need neither.
const MatchActions = dynamic(() =>
  import('@/components/matches/actions/match-actions').then((module) => module.MatchActions),
);
const MatchThread = dynamic(() =>
  import('@/components/matches/thread/match-thread').then((module) => module.MatchThread),
);
const MatchSessions = dynamic(() =>
  import('@/components/anticheat/sessions/match-sessions').then((module) => module.MatchSessions),
);

/** One match: who plays, the games, times, the reported result, and what the viewer can do. Live. */
export function MatchPage({ slug, matchId }: { slug: string; matchId: string }) {
  const trpc = useTRPC();
  const tournament = useTournament(slug);
  const query = useQuery(trpc.matches.get.queryOptions({ matchId }));
  const match = query.data;
  if (!match) {
    if (query.error) return <QueryError title="The match could not be loaded" query={query} />;
    return <SkeletonTable rows={3} label="Loading the match" />;
  }
  const zone = match.tournament.timezone;
  const next = describeNext(match);
  const isInvolved = match.me.canModerate || match.me.participantId !== null;
  const [first, second] = match.slots;
  const times = [
    { label: 'Scheduled', at: match.scheduledAt },
    { label: 'Called', at: match.calledAt },
    { label: 'Show up by', at: match.showUpBy },
    { label: 'Started', at: match.startedAt },
    { label: 'Finished', at: match.completedAt },
  ].flatMap(({ label, at }) =>
    at === null ? [] : [{ label, value: <DateTime value={at} style="short" organizerZone={zone} /> }],
  );
  const facts = match.station ? [{ label: 'Station', value: <bdi>{match.station}</bdi> }, ...times] : times;
  return (
    <div className="grid grid-cols-1 gap-6">
      <header className="grid grid-cols-1 gap-2">
        <Link
          href={`/tournaments/${slug}/bracket`}
          className="inline-flex items-center gap-1 justify-self-start text-muted hover:text-ink"
        >
          <ChevronLeft aria-hidden className="size-4" />
          Bracket
        </Link>
        <h2 className="display text-2xl wrap-anywhere">
          {isBye(match) ? (
            <bdi>{matchTitle(match.slots)}</bdi>
          ) : (
            <>
              <bdi>{slotName(first)}</bdi> <span className="text-faint">vs</span> <bdi>{slotName(second)}</bdi>
            </>
          )}
        </h2>
        <p className="text-muted">
          {match.roundName} · M{match.number}
        </p>
        <MatchFacts match={match} organizerZone={zone} />
      </header>
      <div className="grid grid-cols-1 gap-x-8 gap-y-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="grid grid-cols-1 content-start gap-6">
          {isBye(match) ? <p>This is a bye: one side advances without a match.</p> : <GameTable match={match} />}
          {match.status === 'forfeited' ? <p className="text-muted">The match was decided by a forfeit.</p> : null}
          <MatchCall match={match} />
          <MatchReport match={match} />
          <ProposedTime match={match} canManage={match.me.canModerate} myParticipantId={match.me.participantId} />
          {isInvolved ? (
            <MatchActions
              match={match}
              tournamentId={match.tournament.id}
              viewer={{
                canManage: match.me.canModerate,
                myParticipantId: match.me.participantId,
                staffResults: match.tournament.resultMode === 'staff',
              }}
            />
          ) : null}
          {isInvolved && !isBye(match) ? <MatchThread matchId={match.id} /> : null}
          {match.me.canModerate ? (
            <MatchSessions
              project={tournament.project}
              matchId={match.id}
              game={tournament.game}
              isOver={match.completedAt !== null}
              isRequired={tournament.requiresAntiCheat}
            />
          ) : null}
          <MatchFeed
            matchId={match.id}
            nameOf={(id) => match.slots.find(({ participantId }) => participantId === id)?.name ?? null}
          />
        </div>
        <aside className="grid content-start gap-4">
          {match.streamUrl ? (
            <ButtonLink href={match.streamUrl} target="_blank" rel="noreferrer" icon={<Tv aria-hidden />}>
              Watch the stream
            </ButtonLink>
          ) : null}
          {facts.length > 0 ? (
            <div className="rounded border bg-surface px-5 py-4">
              <Facts items={facts} />
            </div>
          ) : null}
          {match.scheduledAt && match.completedAt === null ? (
            <CalendarLink slug={slug} participantId={match.me.participantId} />
          ) : null}
          {next ? <p className="text-muted">{next}</p> : null}
        </aside>
      </div>
    </div>
  );
}
