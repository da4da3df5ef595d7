import { UserRound, UsersRound } from 'lucide-react';
import Link from 'next/link';
import { cn } from '@/components/ui/cn';
import { Badge } from '@/components/ui/data/badge';
import { StatusBadge } from '@/components/ui/data/status-badge';
import type { Outputs } from '@/trpc/outputs';

export type Participant = Outputs['participants']['list']['items'][number];

type Question = { key: string; label: string };

/** What an entrant answered to the questions that everyone sees. */
function PublicAnswers({ entrant, questions }: { entrant: Participant; questions: Question[] }) {
  const answered = questions.flatMap(({ key, label }) => {
    const answer = entrant.publicAnswers?.[key];
    if (answer === undefined || answer === null) return [];
    return [{ key, label, answer: typeof answer === 'boolean' ? (answer ? 'yes' : 'no') : String(answer) }];
  });
  if (answered.length === 0) return null;
  return (
    <p className="line-clamp-2 text-xs wrap-anywhere text-muted">
      {answered.map(({ key, label, answer }, index) => (
        <span key={key}>
          {index > 0 ? ', ' : null}
          <bdi>{label}</bdi>: <bdi className="text-ink">{answer}</bdi>
        </span>
      ))}
    </p>
  );
}

/** Entrants side by side, each with seed, state and, for teams, who plays. */
export function ParticipantCards({
  entrants,
  label,
  questions = [],
}: {
  entrants: Participant[];
  label: string;
  /** The tournament's, in order; those that everyone sees are shown with their answers. */
  questions?: Question[];
}) {
  const seeded = entrants.some(({ seed }) => seed !== null);
  return (
    <ul
      aria-label={label}
      className="grid grid-cols-1 overflow-hidden rounded border bg-surface *:-mb-px *:-ml-px *:border-b *:border-l sm:grid-cols-2"
    >
      {entrants.map((entrant) => (
        <li
          key={entrant.id}
          className={cn('flex min-h-12 min-w-0 items-center gap-3 px-4 py-3', entrant.isMe && 'bg-accent-soft')}
        >
          {seeded ? (
            <span className="figure min-w-6 shrink-0 text-end text-sm text-faint">
              {entrant.seed === null ? null : (
                <>
                  <span className="sr-only">Seed </span>
                  {entrant.seed}
                </>
              )}
            </span>
          ) : null}
          <div className="min-w-0 flex-1">
            <p className="truncate font-medium" title={entrant.name}>
              {entrant.teamId ? (
                <Link href={`/teams/${entrant.teamId}`} className="underline-offset-4 hover:underline">
                  <bdi>{entrant.name}</bdi>
                </Link>
              ) : (
                <bdi>{entrant.name}</bdi>
              )}
            </p>
            {entrant.roster.length > 0 ? (
              <p className="line-clamp-2 text-xs text-muted">
                {entrant.roster.map((member, index) => (
                  <span key={member.userId}>
                    {index > 0 ? ', ' : null}
                    <bdi>{member.name}</bdi>
                    {member.role === 'player' ? null : ` (${member.role})`}
                  </span>
                ))}
              </p>
            ) : null}
            <PublicAnswers entrant={entrant} questions={questions} />
          </div>
          <span className="flex shrink-0 flex-wrap justify-end gap-1.5">
            {entrant.isMe ? (
              <Badge tone="accent" icon={entrant.type === 'team' ? UsersRound : UserRound}>
                {entrant.type === 'team' ? 'Your team' : 'You'}
              </Badge>
            ) : null}
            {entrant.status === 'registered' ? null : <StatusBadge kind="participant" status={entrant.status} />}
          </span>
        </li>
      ))}
    </ul>
  );
}
