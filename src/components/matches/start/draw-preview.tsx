import { slotName } from '@/components/brackets/match-words';
import { previewRounds } from '@/components/matches/start/draw-rounds';
import type { Draw, Match } from '@/components/matches/types';
import { counted } from '@/domain/text/counted';

type Slot = Match['slots'][number];

function SlotText({ slot }: { slot: Slot }) {
  const { name, seed } = slot;
  if (name !== null) {
    return (
      <span className="flex min-w-0 items-baseline gap-2">
        <span className="figure w-6 shrink-0 text-end text-xs text-faint">{seed}</span>
        <bdi className="truncate">{name}</bdi>
      </span>
    );
  }
  return <span className="pl-8 text-faint">{slotName(slot)}</span>;
}

/** The matches of a draw that already have participants, round by round. */
export function DrawPreview({ draw }: { draw: Draw }) {
  const { rounds, later } = previewRounds(draw.bracket);
  return (
    <div className="grid grid-cols-1 gap-5">
      {rounds.map(({ key, name, matches }) => (
        <section key={key} aria-label={name} className="grid grid-cols-1 gap-2">
          <h4 className="label text-muted">{name}</h4>
          <ol className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,15rem),1fr))] gap-2">
            {matches.map((match) => (
              <li
                key={match.id}
                className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-2 rounded border px-3 py-2"
              >
                <span className="figure w-8 text-xs text-faint">M{match.number}</span>
                <div className="grid min-w-0 grid-cols-1 gap-0.5">
                  <SlotText slot={match.slots[0]} />
                  <SlotText slot={match.slots[1]} />
                </div>
              </li>
            ))}
          </ol>
        </section>
      ))}
      {later > 0 ? (
        <p className="text-muted">{counted(later, 'more match follows', 'more matches follow')} from the results.</p>
      ) : null}
    </div>
  );
}
