'use client';

import { X } from 'lucide-react';
import { clearedFilters, isFiltered } from '@/components/anticheat/queue/filter';
import { statusLabel } from '@/components/ui/data/status-badge';
import { Button } from '@/components/ui/form/button';
import { Combobox } from '@/components/ui/form/combobox';
import { Select } from '@/components/ui/form/select';
import { toParam, unfiltered } from '@/components/ui/navigation/unfiltered';
import { reviewStatuses, severities } from '@/domain/anticheat/reviews';
import { ruleKeys, rules } from '@/domain/anticheat/rules';

export type Choice = { id: string; name: string };
type Change = (changes: Record<string, string | null>) => void;

/** A filter that is set from a detection, such as its player, with a button that takes it away. */
function Chip({ label, name, onRemove }: { label: string; name: string; onRemove: () => void }) {
  return (
    <Button
      variant="secondary"
      icon={<X aria-hidden />}
      onClick={onRemove}
      aria-label={`${label} ${name}: remove filter`}
    >
      <span className="max-w-48 truncate">
        {label} <bdi className="font-normal text-muted">{name}</bdi>
      </span>
    </Button>
  );
}

/** The filters of the queue. Every choice goes into the query parameters. */
export function QueueFilters({
  params,
  games,
  tournaments,
  names,
  onChange,
}: {
  params: URLSearchParams;
  games: readonly Choice[];
  tournaments: readonly Choice[];
  /** What the player and the match that are filtered by are called, where a detection on the page says so. */
  names: { player: string | null; match: string | null };
  onChange: Change;
}) {
  const player = params.get('player');
  const match = params.get('match');
  return (
    <search className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap sm:items-center">
      <Select
        aria-label="Status"
        className="sm:w-40"
        value={params.get('status') ?? 'unreviewed'}
        onValueChange={(value) => onChange({ status: value === 'unreviewed' ? null : value })}
        options={[
          ...reviewStatuses.map((value) => ({ value, label: statusLabel('review', value) })),
          { value: 'all', label: 'Any status' },
        ]}
      />
      <Select
        aria-label="Severity"
        className="sm:w-36"
        value={params.get('severity') ?? unfiltered}
        onValueChange={(value) => onChange({ severity: toParam(value) })}
        options={[
          { value: unfiltered, label: 'Any severity' },
          ...severities.map((value) => ({ value, label: statusLabel('severity', value) })),
        ]}
      />
      <Select
        aria-label="Rule"
        className="sm:w-52"
        value={params.get('rule') ?? unfiltered}
        onValueChange={(value) => onChange({ rule: toParam(value) })}
        options={[
          { value: unfiltered, label: 'Any rule' },
          ...ruleKeys.map((value) => ({ value, label: rules[value].name })),
        ]}
      />
      <Select
        aria-label="Game"
        className="sm:w-40"
        value={params.get('game') ?? unfiltered}
        onValueChange={(value) => onChange({ game: toParam(value) })}
        options={[
          { value: unfiltered, label: 'Any game' },
          ...games.map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
      {tournaments.length > 0 ? (
        <Combobox
          label="Tournament"
          className="max-sm:col-span-2 sm:w-52"
          placeholder="Any tournament"
          value={params.get('tournament') ?? undefined}
          onValueChange={(value) => onChange({ tournament: toParam(value) })}
          options={[
            { value: unfiltered, label: 'Any tournament' },
            ...tournaments.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      ) : null}
      {player ? (
        <Chip label="Player" name={names.player ?? player} onRemove={() => onChange({ player: null })} />
      ) : null}
      {match ? <Chip label="Match" name={names.match ?? match} onRemove={() => onChange({ match: null })} /> : null}
      {isFiltered(params) ? (
        <Button variant="ghost" onClick={() => onChange(clearedFilters)}>
          Clear filters
        </Button>
      ) : null}
    </search>
  );
}
