'use client';

import { type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { ActionDialog, type PendingAction } from '@/components/tournaments/desk/actions/action-dialog';
import { actionDefinitions, actionNames, isAllowed } from '@/components/tournaments/desk/actions/actions';
import { SelectionBar } from '@/components/tournaments/desk/actions/selection-bar';
import { useActions } from '@/components/tournaments/desk/actions/use-actions';
import { CopyLinkButton } from '@/components/tournaments/desk/copy-link-button';
import { ParticipantDrawer } from '@/components/tournaments/desk/drawer/participant-drawer';
import { ParticipantGrid } from '@/components/tournaments/desk/grid/participant-grid';
import { emptySelection, type Selection, withoutMissing } from '@/components/tournaments/desk/grid/selection';
import { useChangedRows } from '@/components/tournaments/desk/grid/use-changed-rows';
import { ViewFilters } from '@/components/tournaments/desk/grid/view-chips';
import { type Sort, type View, views, visibleRows } from '@/components/tournaments/desk/grid/views';
import type { DeskAction, DeskRow, Tournament } from '@/components/tournaments/desk/queries';
import { SlotNote } from '@/components/tournaments/desk/slot-note';
import type { LoadedParticipants } from '@/components/tournaments/desk/use-participants';
import { SearchInput } from '@/components/ui/form/search-input';
import { useShortcut } from '@/components/ui/navigation/use-shortcut';
import { EmptyState } from '@/components/ui/page/empty-state';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonTable } from '@/components/ui/page/skeleton';

const none: ReadonlySet<string> = new Set();

/** A key that does an action to who is selected, or else to the row where the cursor stands. */
function ActionKey({ action, run }: { action: DeskAction; run: (action: DeskAction) => void }) {
  const { key, label: word } = actionDefinitions[action];
  useShortcut(key, `${word}: the selected, or the row you are on`, () => run(action));
  return null;
}

/** The participants' desk: who is in, who is not ready, and one key to make them so. */
export function ParticipantsDesk({
  tournament,
  entrants,
  firstView,
  toolbar,
  onChanged,
}: {
  tournament: Tournament;
  entrants: LoadedParticipants;
  firstView: View;
  toolbar?: ReactNode;
  onChanged: () => void;
}) {
  const { rows, query, complete, patch, putBack } = entrants;
  const [view, setView] = useState<View>(firstView);
  const [search, setSearch] = useState('');
  const [sort, setSort] = useState<Sort>(null);
  const [selected, setSelected] = useState<Selection>(emptySelection);
  const [active, setActive] = useState<string | null>(null);
  const [openId, setOpenId] = useState<string | null>(null);
  const [asked, setAsked] = useState<PendingAction | null>(null);
  const sought = useDeferredValue(search);
  const { act, run, busy, undoLast, stop, clear } = useActions(tournament.id, {
    patch,
    putBack,
    readAgain: onChanged,
  });
  const changed = useChangedRows(rows, complete, run?.running ? busy : none);

  const shown = useMemo(() => visibleRows(rows, { view, search: sought, sort }), [rows, view, sought, sort]);
  const present = useMemo(() => new Set(rows.map(({ id }) => id)), [rows]);
  const selection = complete ? withoutMissing(selected, present) : selected;
  const chosen = rows.filter(({ id }) => selection.ids.has(id));

  // The cursor stays at its height when its row has left the list.
  const lastIndex = useRef(0);
  const at = active === null ? -1 : shown.findIndex(({ id }) => id === active);
  useEffect(() => {
    if (at >= 0) lastIndex.current = at;
    else if (active !== null) setActive(shown[Math.min(lastIndex.current, shown.length - 1)]?.id ?? null);
  }, [at, active, shown]);

  async function perform(action: DeskAction, targets: DeskRow[], reason?: string) {
    setAsked(null);
    const done = await act(action, targets, reason);
    setSelected((now) => ({ ...now, ids: new Set([...now.ids].filter((id) => !done.has(id))) }));
  }

  function ask(action: DeskAction, candidates: DeskRow[]) {
    const targets = candidates.filter((row) => isAllowed(row, action));
    if (targets.length === 0 || (run?.running && run.total > 1)) return;
    const { reasonQuestion: reason, warning: asks } = actionDefinitions[action];
    if (reason || asks) setAsked({ action, rows: targets });
    else void perform(action, targets);
  }

  function onKey(action: DeskAction) {
    if (chosen.length > 0) return ask(action, chosen);
    const row = document.activeElement?.getAttribute('role') === 'grid' ? shown[at] : undefined;
    if (row) ask(action, [row]);
  }

  useShortcut('m', 'Show who is not checked in', () => setView('missing'));
  useShortcut('u', 'Undo what was done last', () => undoLast());

  const nobodyHere = sought.trim() ? (
    <p className="rounded border px-5 py-8 text-muted">
      Nobody here has “{sought.trim()}” in their name. {view === 'all' ? '' : 'Look under All, or '}
      <button type="button" className="text-accent underline underline-offset-4" onClick={() => setSearch('')}>
        {view === 'all' ? 'Empty the search' : 'empty the search'}
      </button>
      .
    </p>
  ) : rows.length === 0 ? (
    <EmptyState
      title="Nobody is in yet"
      action={tournament.registrationOpen ? <CopyLinkButton slug={tournament.slug} /> : null}
    >
      {tournament.status === 'DRAFT'
        ? 'Players can register once you publish.'
        : tournament.registrationOpen
          ? 'Registration is open. Share the address of the public page, or import a list.'
          : 'Registration is not open.'}
    </EmptyState>
  ) : (
    <p className="rounded border px-5 py-8 text-muted">{views[view].none}</p>
  );

  return (
    <section aria-labelledby="entrants" className="grid grid-cols-1 gap-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-3">
        <h2 id="entrants" className="display mr-auto text-xl max-sm:sr-only">
          Entrants
        </h2>
        <SearchInput
          label="Search entrants"
          className="flex-1 sm:w-64 sm:flex-none"
          value={search}
          onSearch={setSearch}
        />
        {toolbar}
      </div>
      <ViewFilters rows={rows} complete={complete} view={view} onView={setView} />
      {query.isPending ? (
        <SkeletonTable label="Loading entrants" />
      ) : query.isError && rows.length === 0 ? (
        <QueryError title="The entrants could not be read" query={query} />
      ) : (
        <>
          {complete ? null : (
            <p role="status" className="text-muted">
              {query.isError ? 'Some entrants could not be read. ' : `${rows.length} entrants read, more are coming.`}
              {query.isError ? (
                <button
                  type="button"
                  className="text-accent underline underline-offset-4"
                  onClick={() => void query.fetchNextPage()}
                >
                  Try again
                </button>
              ) : null}
            </p>
          )}
          {view === 'all' ? null : <SlotNote entrant={shown[0]} tournament={tournament} />}
          {shown.length === 0 && complete ? (
            nobodyHere
          ) : (
            <ParticipantGrid
              rows={shown}
              teams={tournament.teamSize > 1}
              selection={selection}
              onSelection={setSelected}
              active={active}
              onActive={setActive}
              sort={sort}
              onSort={setSort}
              changed={changed}
              busy={run?.running ? busy : none}
              onOpen={setOpenId}
              onAct={(action, row) => ask(action, [row])}
            />
          )}
        </>
      )}
      {actionNames.map((action) => (
        <ActionKey key={action} action={action} run={onKey} />
      ))}
      <SelectionBar
        rows={chosen}
        run={run}
        onAct={(action) => ask(action, chosen)}
        onStop={stop}
        onClear={() => {
          setSelected(emptySelection);
          clear();
        }}
      />
      <ActionDialog
        asked={asked}
        onDone={({ action, rows: targets }, reason) => void perform(action, targets, reason)}
        onClose={() => setAsked(null)}
      />
      <ParticipantDrawer
        row={rows.find(({ id }) => id === openId) ?? null}
        tournament={tournament}
        onClose={() => setOpenId(null)}
        onAct={(action, row) => ask(action, [row])}
        onChanged={onChanged}
      />
    </section>
  );
}
