'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { myTeamsInput } from '@/components/teams/queries';
import { TeamName } from '@/components/teams/team-name';
import { Avatar } from '@/components/ui/data/avatar';
import { Badge } from '@/components/ui/data/badge';
import { ButtonLink } from '@/components/ui/form/button';
import { EmptyState } from '@/components/ui/page/empty-state';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { teamRoleWords } from '@/domain/teams/roles';
import { counted } from '@/domain/text/counted';
import { useTRPC } from '@/trpc/client';

/** The viewer's teams, the most recently joined first. */
export function TeamList() {
  const trpc = useTRPC();
  const list = useQuery(trpc.teams.mine.queryOptions(myTeamsInput, { refetchOnWindowFocus: true }));
  if (list.isPending) return <SkeletonTable rows={3} label="Loading your teams" />;
  if (list.isError) return <QueryError title="Your teams could not be loaded" query={list} />;
  if (list.data.total === 0) {
    return (
      <EmptyState
        title="You are not on a team yet"
        action={
          <ButtonLink href="/teams/new" variant="primary">
            Create a team
          </ButtonLink>
        }
      >
        Create a team once, then register all of its players in two clicks. Other captains can invite you by email or
        with a link.
      </EmptyState>
    );
  }
  return (
    <ul aria-label="My teams" className="divide-y overflow-hidden rounded border bg-surface">
      {list.data.items.map((team) => (
        <li key={team.id} className="relative flex items-center gap-4 px-4 py-3.5 hover:bg-hover sm:px-5">
          <Avatar square size="lg" name={team.name} />
          <div className="grid min-w-0 flex-1">
            <Link
              href={`/teams/${team.id}`}
              className="display truncate text-lg after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
            >
              <TeamName name={team.name} tag={team.tag} />
            </Link>
            <p className="numerals truncate text-muted">
              {counted(team.memberCount, 'member')}
              {team.captain && team.myRole !== 'captain' ? (
                <>
                  , captain <bdi>{team.captain.name}</bdi>
                </>
              ) : null}
            </p>
          </div>
          {team.myRole ? (
            <Badge tone={team.myRole === 'captain' ? 'accent' : 'neutral'}>{teamRoleWords[team.myRole].name}</Badge>
          ) : null}
        </li>
      ))}
    </ul>
  );
}
