'use client';

import { usePathname, useRouter, useSearchParams } from 'next/navigation';
import { type ReactNode, useEffect, useRef, useState, useTransition } from 'react';
import { statusLabel } from '@/components/ui/data/status-badge';
import { SearchInput } from '@/components/ui/form/search-input';
import { Select } from '@/components/ui/form/select';
import { useShortcut } from '@/components/ui/navigation/use-shortcut';
import type { TournamentStatus } from '@/domain/tournaments/rules';

type StatusCounts = Record<TournamentStatus, number>;
const statuses: TournamentStatus[] = ['DRAFT', 'PUBLISHED', 'IN_PROGRESS', 'COMPLETED', 'CANCELLED'];
const searchDelayMs = 250;

/** Search and filters of the project's tournaments, kept in the address. `children` is the list, dimmed while it loads. */
export function TournamentFilters({
  counts,
  games,
  newHref,
  children,
}: {
  counts: StatusCounts;
  games: { id: string; name: string }[];
  /** Opened by the shortcut `n`; missing for viewers who cannot create tournaments. */
  newHref?: string;
  children: ReactNode;
}) {
  const router = useRouter();
  const pathname = usePathname();
  const params = useSearchParams();
  const [pending, startTransition] = useTransition();
  const [search, setSearch] = useState(params.get('search') ?? '');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const status = params.get('status') ?? '';
  const total = statuses.reduce((sum, each) => sum + counts[each], 0);
  useShortcut('n', 'New tournament', () => newHref && router.push(newHref));
  useEffect(() => () => clearTimeout(timer.current), []);

  function set(name: string, value: string) {
    const next = new URLSearchParams(params);
    if (value) next.set(name, value);
    else next.delete(name);
    next.delete('page');
    startTransition(() => router.replace(next.size > 0 ? `${pathname}?${next}` : pathname, { scroll: false }));
  }

  const chips = [
    { value: '', label: 'All', count: total },
    ...statuses.map((each) => ({ value: each, label: statusLabel('tournament', each), count: counts[each] })),
  ];
  return (
    <div className="grid grid-cols-1 gap-4">
      <fieldset className="flex min-w-0 gap-1 overflow-x-auto pb-1 [scrollbar-width:none] max-sm:-mx-4 max-sm:px-4">
        <legend className="sr-only">Filter by status</legend>
        {chips.map(({ value, label, count }) => (
          <button
            key={label}
            type="button"
            aria-pressed={value === status}
            onClick={() => set('status', value)}
            className="flex h-9 shrink-0 items-center gap-2 rounded border border-transparent px-3 font-medium text-muted hover:bg-hover hover:text-ink aria-pressed:border-line-strong aria-pressed:bg-surface aria-pressed:text-ink"
          >
            {label}
            <span className="figure text-muted">{count}</span>
          </button>
        ))}
      </fieldset>
      <div className="flex flex-wrap gap-3">
        <SearchInput
          label="Search tournaments"
          className="w-full sm:w-72"
          value={search}
          onSearch={(text) => {
            setSearch(text);
            clearTimeout(timer.current);
            timer.current = setTimeout(() => set('search', text.trim()), searchDelayMs);
          }}
        />
        <div className="w-full sm:w-48">
          <Select
            aria-label="Game"
            value={params.get('game') ?? 'any'}
            onValueChange={(game) => set('game', game === 'any' ? '' : game)}
            options={[
              { value: 'any', label: 'All games' },
              ...games.map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
        </div>
        <div className="w-full sm:w-44">
          <Select
            aria-label="Sort by"
            value={params.get('sort') ?? '-startDate'}
            onValueChange={(sort) => set('sort', sort === '-startDate' ? '' : sort)}
            options={[
              { value: '-startDate', label: 'Latest start first' },
              { value: 'startDate', label: 'Soonest start first' },
            ]}
          />
        </div>
      </div>
      <div className={pending ? 'opacity-60' : undefined} aria-busy={pending}>
        {children}
      </div>
    </div>
  );
}
