import { UserRound, UsersRound } from 'lucide-react';
import Link from 'next/link';
import { cn } from '@/components/ui/cn';
import { Badge } from '@/components/ui/data/badge';
import { StatusBadge } from '@/components/ui/data/status-badge';
import type { Outputs } from '@/trpc/outputs';

export type Participant = Outputs['participants']['list']['items'][number];

type Question = { key: string; label: string };

/** A participant's answers to the public questions. */
function PublicAnswers({ participant, questions }: { participant: Participant; questions: Question[] }) {
  const answered = questions.flatMap(({ key, label }) => {
    const answer = participant.publicAnswers?.[key];
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

/** Participants as cards with seed, status and, for teams, the roster. */
export function ParticipantCards({
  participants,
  label,
  questions = [],
}: {
  participants: Participant[];
  label: string;
  /** The tournament's questions in order; public answers are shown with them. */
  questions?: Question[];
}) {
  const seeded = participants.some(({ seed }) => seed !== null);
  return (
    <ul
      aria-label={label}
      className="grid grid-cols-1 overflow-hidden rounded border bg-surface *:-mb-px *:-ml-px *:border-b *:border-l sm:grid-cols-2"
    >
      {participants.map((participant) => (
        <li
          key={participant.id}
          className={cn('flex min-h-12 min-w-0 items-center gap-3 px-4 py-3', participant.isMe && 'bg-accent-soft')}
        >
          {seeded ? (
            <span className="figure min-w-6 shrink-0 text-end text-sm text-faint">
              {participant.seed === null ? null : (
                <>
                  <span className="sr-only">Seed </span>
                  {participant.seed}
                </>
              )}
            </span>
          ) : null}
          <div className="min-w-0 flex-1">
            <p className="truncate font-medium" title={participant.name}>
              {participant.teamId ? (
                <Link href={`/teams/${participant.teamId}`} className="underline-offset-4 hover:underline">
                  <bdi>{participant.name}</bdi>
                </Link>
              ) : (
                <bdi>{participant.name}</bdi>
              )}
            </p>
            {participant.roster.length > 0 ? (
              <p className="line-clamp-2 text-xs text-muted">
                {participant.roster.map((member, index) => (
                  <span key={member.userId ?? member.name}>
                    {index > 0 ? ', ' : null}
                    <bdi>{member.name}</bdi>
                    {member.role === 'player' ? null : ` (${member.role})`}
                  </span>
                ))}
              </p>
            ) : null}
            <PublicAnswers participant={participant} questions={questions} />
          </div>
          <span className="flex shrink-0 flex-wrap justify-end gap-1.5">
            {participant.isMe ? (
              <Badge tone="accent" icon={participant.type === 'team' ? UsersRound : UserRound}>
                {participant.type === 'team' ? 'Your team' : 'You'}
              </Badge>
            ) : null}
            {participant.status === 'registered' ? null : (
              <StatusBadge kind="participant" status={participant.status} />
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
