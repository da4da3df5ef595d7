'use client';

import { usePathname, useRouter } from 'next/navigation';
import { type ReactNode, useEffect, useRef, useState, useTransition } from 'react';
import { cn } from '@/components/ui/cn';
import { SearchInput } from '@/components/ui/form/search-input';
import { Select } from '@/components/ui/form/select';

export type ListFilters = { q: string; game: string; phase: string; when: string };

const phases = [
  { value: 'current', label: 'Live and upcoming' },
  { value: 'open', label: 'Open for registration' },
  { value: 'check_in', label: 'Check-in open' },
  { value: 'live', label: 'Live' },
  { value: 'past', label: 'Past' },
];

const upcomingRanges = [
  { value: 'any', label: 'Any day' },
  { value: '1d', label: 'Next 24 hours' },
  { value: '7d', label: 'Next 7 days' },
  { value: '30d', label: 'Next 30 days' },
];
const pastRanges = [
  { value: 'any', label: 'Any day' },
  { value: '1d', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
];

/** Search and filters of the public list, kept in the address; `children` is the filtered list. */
export function TournamentFilters({
  filters,
  games,
  children,
}: {
  filters: ListFilters;
  games: { id: string; name: string }[];
  children: ReactNode;
}) {
  const router = useRouter();
  const pathname = usePathname();
  const [busy, startTransition] = useTransition();
  const [typed, setTyped] = useState(filters.q);
  const [sent, setSent] = useState(filters.q);
  const [shown, setShown] = useState(filters.q);
  // A link or the back button changed the address: show its search. Typing here has already updated the field.
  if (shown !== filters.q) {
    setShown(filters.q);
    if (filters.q !== sent) {
      setSent(filters.q);
      setTyped(filters.q);
    }
  }
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  function go(change: Partial<ListFilters>) {
    clearTimeout(timer.current);
    const next = { ...filters, q: typed, ...change };
    const search = new URLSearchParams();
    if (next.q.trim()) search.set('q', next.q.trim());
    if (next.phase !== 'current') search.set('phase', next.phase);
    if (next.game !== 'any') search.set('game', next.game);
    if (next.when !== 'any') search.set('when', next.when);
    const query = search.toString();
    setSent(next.q.trim());
    startTransition(() => router.replace(query ? `${pathname}?${query}` : pathname, { scroll: false }));
  }

  return (
    <>
      <search className="mb-5 grid grid-cols-1 gap-3">
        <div className="flex flex-wrap gap-3">
          <SearchInput
            label="Search tournaments"
            value={typed}
            className="w-full sm:w-72"
            onSearch={(text) => {
              setTyped(text);
              clearTimeout(timer.current);
              timer.current = setTimeout(() => go({ q: text }), 250);
            }}
          />
          <Select
            aria-label="Game"
            value={filters.game}
            onValueChange={(game) => go({ game })}
            options={[
              { value: 'any', label: 'All games' },
              ...games.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            className="w-auto min-w-36 max-sm:flex-1"
          />
          <Select
            aria-label="Date"
            value={filters.when}
            onValueChange={(when) => go({ when })}
            options={filters.phase === 'past' ? pastRanges : upcomingRanges}
            className="w-auto min-w-36 max-sm:flex-1"
          />
        </div>
        <fieldset className="flex min-w-0 gap-1 overflow-x-auto border-b [scrollbar-width:none] max-sm:-mx-4 max-sm:px-4">
          <legend className="sr-only">Filter by phase</legend>
          {phases.map(({ value, label }) => (
            <button
              key={value}
              type="button"
              aria-pressed={filters.phase === value}
              onClick={() => go({ phase: value })}
              className="-mb-px h-11 shrink-0 border-b-2 border-transparent px-3 font-medium text-muted first-of-type:pl-0 hover:text-ink focus-visible:-outline-offset-2 aria-pressed:border-accent aria-pressed:text-ink"
            >
              {label}
            </button>
          ))}
        </fieldset>
      </search>
      <div aria-busy={busy} className={cn('transition-opacity', busy && 'opacity-60')}>
        {children}
      </div>
    </>
  );
}
