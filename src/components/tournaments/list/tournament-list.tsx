import { TournamentRow, type TournamentSummary } from '@/components/tournaments/list/tournament-row';

/** Tournaments in rows, for the public pages. */
export function TournamentList({
  tournaments,
  label,
  level,
}: {
  tournaments: TournamentSummary[];
  label: string;
  level?: 2 | 3;
}) {
  return (
    <ul aria-label={label} className="rounded border bg-surface">
      {tournaments.map((tournament) => (
        <TournamentRow key={tournament.id} tournament={tournament} level={level} />
      ))}
    </ul>
  );
}
