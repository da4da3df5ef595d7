import { CircleAlert, CircleCheck, Trash2 } from 'lucide-react';
import { isOver } from '@/components/brackets/match-words';
import {
  type Affected,
  describeEffect,
  describeOutcome,
  matchesByNumber,
  namesIn,
  summarizeEffects,
} from '@/components/matches/actions/correction-words';
import { describeReport, nameIn } from '@/components/matches/actions/match-names';
import type { Bracket, Correction, Match } from '@/components/matches/types';

type Names = ReadonlyMap<string, string>;

function Name({ id, names }: { id: string | null; names: Names }) {
  if (id === null) return <span className="text-faint">To be decided</span>;
  return <bdi className="wrap-anywhere">{names.get(id) ?? 'Unknown'}</bdi>;
}

/** One slot before and after: who leaves is crossed out, who comes stands beside it. */
function Slot({ before, after, names }: { before: string | null; after: string | null; names: Names }) {
  if (before === after) return <Name id={after} names={names} />;
  return (
    <span className="flex flex-wrap items-baseline gap-x-2">
      {before === null ? null : (
        <s className="text-muted">
          <span className="sr-only">Instead of </span>
          <Name id={before} names={names} />
        </s>
      )}
      <strong className="font-semibold">
        <Name id={after} names={names} />
      </strong>
    </span>
  );
}

function AffectedMatch({ one, was, round, names }: { one: Affected; was?: Match; round?: string; names: Names }) {
  const { before, after } = one;
  return (
    <li className="grid grid-cols-1 gap-2 px-4 py-3">
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span className="figure">M{one.number}</span>
        <span className="text-muted">{round}</span>
      </p>
      {after === null ? null : (
        <div className="grid grid-cols-1 gap-1">
          {([0, 1] as const).map((side) => (
            <Slot key={side} before={before[side] ?? null} after={after[side] ?? null} names={names} />
          ))}
        </div>
      )}
      {one.losesResult ? (
        <p className="flex items-start gap-1.5 text-danger">
          <Trash2 aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span className="wrap-anywhere">
            {was && isOver(was) && was.status !== 'forfeited'
              ? `Deleted: ${describeReport(was, was)}.`
              : 'Its result is deleted.'}
          </span>
        </p>
      ) : null}
      <p className="text-muted">{describeEffect(one)}</p>
    </li>
  );
}

/** What a correction does: to its own match, and to every other one with who moves where and which results are lost. */
export function CorrectionPreview({
  match,
  result,
  correction,
  bracket,
}: {
  match: Match;
  /** Null when the match is reopened. */
  result: Parameters<typeof describeReport>[1] | null;
  correction: Correction;
  bracket: Bracket | undefined;
}) {
  const affected = correction.affected.filter(({ number }) => number !== match.number);
  const names = namesIn(bracket);
  const known = matchesByNumber(bracket);
  const isHarmless = affected.length === 0;
  return (
    <div className="grid grid-cols-1 gap-3">
      {correction.allowed ? null : (
        <p role="alert" className="rounded border border-danger bg-danger-soft p-3">
          {correction.reason === 'PLAYED_PAST'
            ? 'This cannot be done: the bracket has already moved on.'
            : 'This cannot be done yet: one of these matches is in progress or disputed. Decide that match first.'}
        </p>
      )}
      {result ? (
        <div className="rounded border bg-surface px-4 py-3">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <span className="figure">M{match.number}</span>
            <s className="text-muted wrap-anywhere">
              <span className="sr-only">Instead of </span>
              {match.status === 'forfeited' ? 'Forfeit' : describeReport(match, match)}
            </s>
            <strong className="font-semibold wrap-anywhere">{describeReport(match, result)}</strong>
          </p>
          <p className="mt-1 text-muted wrap-anywhere">
            {describeOutcome(match, result.winnerId, (id) => nameIn(match, id))}
          </p>
        </div>
      ) : null}
      <p className="flex items-start gap-2 font-medium">
        {isHarmless ? (
          <CircleCheck aria-hidden className="mt-px size-5 shrink-0 text-accent" />
        ) : (
          <CircleAlert aria-hidden className="mt-px size-5 shrink-0 text-danger" />
        )}
        {summarizeEffects(affected)}
      </p>
      {isHarmless ? null : (
        <ol className="grid grid-cols-1 divide-y rounded border">
          {affected.map((one) => (
            <AffectedMatch
              key={one.number}
              one={one}
              was={known.get(one.number)?.match}
              round={known.get(one.number)?.round}
              names={names}
            />
          ))}
        </ol>
      )}
      {correction.allowed ? <p className="text-xs text-faint">You can undo this afterwards.</p> : null}
    </div>
  );
}
