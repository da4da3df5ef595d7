import { isBye } from '@/components/brackets/match-words';
import type { BracketData, BracketMatch, BracketStage } from '@/components/brackets/types';
import { standardOrder } from '@/domain/brackets/draw/seed-order';

/** A knockout that can be seeded by hand: participants in the order of their seeds. */
export type SeedableStage = { stage: BracketStage; order: { id: string; name: string }[]; size: number };

const hasBegun = (match: BracketMatch) =>
  !isBye(match) && match.status !== 'pending' && match.status !== 'ready' && match.status !== 'scheduled';

/** The knockout after another stage whose participants are all known while nobody has played in it, if there is one. */
export function seedableStage({ stages }: BracketData): SeedableStage | null {
  const stage = stages.slice(1).find(({ standings }) => !standings);
  const first = stage?.rounds[0]?.matches ?? [];
  if (!stage || first.length === 0 || stage.rounds.some(({ matches }) => matches.some(hasBegun))) return null;
  const size = first.length * 2;
  const seeds = standardOrder(size);
  const lines = first.flatMap(({ slots }) => slots);
  if (lines.some(({ participantId, source }) => participantId === null && source.type !== 'bye')) return null;
  const order = lines
    .flatMap(({ participantId, name }, line) =>
      participantId === null ? [] : [{ id: participantId, name: name ?? '', seed: seeds[line] ?? size }],
    )
    .sort((a, b) => a.seed - b.seed)
    .map(({ id, name }) => ({ id, name }));
  return { stage, order, size };
}

/** The first matches of a knockout of `size` lines with this order of seeds; null: a bye. */
export function firstMatches(order: readonly string[], size: number): [string | null, string | null][] {
  const lines = standardOrder(size).map((seed) => order[seed - 1] ?? null);
  return Array.from({ length: size / 2 }, (_, match) => [lines[match * 2] ?? null, lines[match * 2 + 1] ?? null]);
}
