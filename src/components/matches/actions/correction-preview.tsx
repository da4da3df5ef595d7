import { ArrowRight, CircleAlert, CircleCheck } from 'lucide-react';
import type { Bracket, Correction } from '@/components/matches/types';
import { counted } from '@/domain/text/counted';

type Affected = Correction['affected'][number];

/** The names of all participants in a bracket, by id. */
export function namesIn(bracket: Bracket | undefined): ReadonlyMap<string, string> {
  const slots = (bracket?.stages ?? []).flatMap(({ rounds }) =>
    rounds.flatMap(({ matches }) => matches.flatMap((match) => match.slots)),
  );
  return new Map(
    slots.flatMap(({ participantId, name }): [string, string][] =>
      participantId && name ? [[participantId, name]] : [],
    ),
  );
}

/** What happens to an affected match, in words. */
export function describeEffect({ change, losesResult, before, after }: Affected): string {
  const lost = losesResult ? 'Its result is deleted' : null;
  switch (change) {
    case 'removed':
      return losesResult ? 'Removed, with its result.' : 'Removed.';
    case 'reopened':
      return 'Has to be played after all.';
    case 'advances_other':
      return lost ? `${lost}. It is played again with other participants.` : 'Other participants play in it.';
    case 'cleared': {
      const isComplete = after?.every((id) => id !== null) ?? false;
      const isSame = after !== null && before.every((id, side) => id === after[side]);
      if (lost) return isComplete ? `${lost}. It is played again.` : `${lost}. It waits for its participants.`;
      return isSame ? 'Goes back to not played.' : 'Waits for its participants again.';
    }
  }
}

function Names({ ids, names }: { ids: readonly (string | null)[]; names: ReadonlyMap<string, string> }) {
  return (
    <span className="wrap-anywhere">
      {([0, 1] as const).map((side) => {
        const id = ids[side] ?? null;
        return (
          <span key={side}>
            {side > 0 ? ' vs ' : ''}
            {id === null ? <span className="text-faint">to be decided</span> : <bdi>{names.get(id) ?? 'Unknown'}</bdi>}
          </span>
        );
      })}
    </span>
  );
}

/** Every other match that a correction of match `number` changes, with its participants before and after. */
export function CorrectionPreview({
  number,
  correction,
  bracket,
}: {
  number: number;
  correction: Correction;
  bracket: Bracket | undefined;
}) {
  const { allowed } = correction;
  const affected = correction.affected.filter((one) => one.number !== number);
  const names = namesIn(bracket);
  const rounds = new Map(
    (bracket?.stages ?? []).flatMap((stage) =>
      stage.rounds.flatMap(({ name, matches }) => matches.map(({ number }): [number, string] => [number, name])),
    ),
  );
  const lost = affected.filter(({ losesResult }) => losesResult).length;
  return (
    <section aria-label="What changes" className="grid grid-cols-1 gap-3">
      <p className="flex items-start gap-2 font-medium">
        {affected.length === 0 ? (
          <CircleCheck aria-hidden className="mt-0.5 size-5 shrink-0 text-accent" />
        ) : (
          <CircleAlert aria-hidden className="mt-0.5 size-5 shrink-0 text-danger" />
        )}
        {affected.length === 0
          ? 'No other match changes.'
          : `${counted(affected.length, 'other match changes', 'other matches change')}${lost > 0 ? `, and ${counted(lost, 'result is deleted', 'results are deleted')}` : ''}.`}
      </p>
      {allowed ? null : (
        <p role="alert" className="rounded border border-danger bg-danger-soft p-3">
          {correction.reason === 'PLAYED_PAST'
            ? 'This cannot be done: the bracket has already moved on.'
            : 'This cannot be done yet: one of these matches is in progress or disputed. Decide that match first.'}
        </p>
      )}
      {affected.length > 0 ? (
        <ol className="grid grid-cols-1 divide-y rounded border">
          {affected.map((one) => (
            <li key={one.number} className="grid grid-cols-1 gap-1 px-4 py-3">
              <p className="flex flex-wrap items-baseline gap-x-3">
                <span className="figure">M{one.number}</span>
                <span className="text-muted">{rounds.get(one.number)}</span>
              </p>
              <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
                <Names ids={one.before} names={names} />
                {one.after?.some((id, side) => id !== one.before[side]) ? (
                  <>
                    <ArrowRight aria-label="becomes" className="size-4 shrink-0 text-faint" />
                    <Names ids={one.after} names={names} />
                  </>
                ) : null}
              </p>
              <p className={one.losesResult ? 'text-danger' : 'text-muted'}>{describeEffect(one)}</p>
            </li>
          ))}
        </ol>
      ) : null}
    </section>
  );
}
