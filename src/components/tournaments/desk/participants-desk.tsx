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
import { EditGuestDialog } from '@/components/tournaments/desk/guests/edit-guest-dialog';
import type { GuestAction } from '@/components/tournaments/desk/guests/guest-actions';
import { useClaimLink } from '@/components/tournaments/desk/guests/use-claim-link';
import type { DeskAction, DeskRow, Tournament } from '@/components/tournaments/desk/queries';
import { SlotNote } from '@/components/tournaments/desk/slot-note';
import type { LoadedParticipants } from '@/components/tournaments/desk/use-participants';
import { SearchInput } from '@/components/ui/form/search-input';
import { useShortcut } from '@/components/ui/navigation/use-shortcut';
import { EmptyState } from '@/components/ui/page/empty-state';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonTable } from '@/components/ui/page/skeleton';

const noIds: ReadonlySet<string> = new Set();

/** A shortcut that runs an action on the selected rows, or else on the active row. */
function ActionKey({ action, run }: { action: DeskAction; run: (action: DeskAction) => void }) {
  const { key, label } = actionDefinitions[action];
  useShortcut(key, `${label} (selected rows, or the current row)`, () => run(action));
  return null;
}

/** The participants desk: shows who is not ready, with a shortcut for each action. */
export function ParticipantsDesk({
  tournament,
  participants,
  initialView,
  canWrite,
  toolbar,
  onChanged,
}: {
  tournament: Tournament;
  participants: LoadedParticipants;
  initialView: View;
  /** Whether the viewer may add and edit participants. */
  canWrite: boolean;
  toolbar?: ReactNode;
  onChanged: () => void;
}) {
  const { rows, query, complete, patchRows, restoreRows } = participants;
  const [view, setView] = useState<View>(initialView);
  const [search, setSearch] = useState('');
  const [sort, setSort] = useState<Sort>(null);
  const [selected, setSelected] = useState<Selection>(emptySelection);
  const [active, setActive] = useState<string | null>(null);
  const [openId, setOpenId] = useState<string | null>(null);
  const [pendingAction, setPendingAction] = useState<PendingAction | null>(null);
  const [edited, setEdited] = useState<DeskRow | null>(null);
  const { copyClaimLink, fallback } = useClaimLink(tournament.id);
  const deferredSearch = useDeferredValue(search);
  const { runAction, run, busy, undoLast, stop, clear } = useActions(tournament.id, {
    patchRows,
    restoreRows,
    refresh: onChanged,
  });
  const changed = useChangedRows(rows, complete, run?.running ? busy : noIds);

  const visible = useMemo(
    () => visibleRows(rows, { view, search: deferredSearch, sort }),
    [rows, view, deferredSearch, sort],
  );
  const presentIds = useMemo(() => new Set(rows.map(({ id }) => id)), [rows]);
  const selection = complete ? withoutMissing(selected, presentIds) : selected;
  const selectedRows = rows.filter(({ id }) => selection.ids.has(id));

  // The cursor stays in place when its row has left the list.
  const lastIndex = useRef(0);
  const cursorIndex = active === null ? -1 : visible.findIndex(({ id }) => id === active);
  useEffect(() => {
    if (cursorIndex >= 0) lastIndex.current = cursorIndex;
    else if (active !== null) setActive(visible[Math.min(lastIndex.current, visible.length - 1)]?.id ?? null);
  }, [cursorIndex, active, visible]);

  async function performAction(action: DeskAction, targets: DeskRow[], reason?: string) {
    setPendingAction(null);
    const done = await runAction(action, targets, reason);
    setSelected((now) => ({ ...now, ids: new Set([...now.ids].filter((id) => !done.has(id))) }));
  }

  function requestAction(action: DeskAction, candidates: DeskRow[]) {
    const targets = candidates.filter((row) => isAllowed(row, action));
    if (targets.length === 0 || (run?.running && run.total > 1)) return;
    const { reasonQuestion, warning } = actionDefinitions[action];
    if (reasonQuestion || warning) setPendingAction({ action, rows: targets });
    else void performAction(action, targets);
  }

  function actOnGuest(action: GuestAction, row: DeskRow) {
    if (action === 'edit') setEdited(row);
    else copyClaimLink(row);
  }

  function onKey(action: DeskAction) {
    if (selectedRows.length > 0) return requestAction(action, selectedRows);
    const row = document.activeElement?.getAttribute('role') === 'grid' ? visible[cursorIndex] : undefined;
    if (row) requestAction(action, [row]);
  }

  useShortcut('m', 'Show who is not checked in', () => setView('missing'));
  useShortcut('u', 'Undo the last action', () => undoLast());

  const emptyState = deferredSearch.trim() ? (
    <p className="rounded border px-5 py-8 text-muted">
      No results for “{deferredSearch.trim()}”. {view === 'all' ? '' : 'Look under All, or '}
      <button type="button" className="text-accent underline underline-offset-4" onClick={() => setSearch('')}>
        {view === 'all' ? 'Clear the search' : 'clear the search'}
      </button>
      .
    </p>
  ) : rows.length === 0 ? (
    <EmptyState
      title="No participants yet"
      action={tournament.registrationOpen ? <CopyLinkButton slug={tournament.slug} /> : null}
    >
      {tournament.status === 'DRAFT'
        ? 'Add them by name, or publish the tournament so that players can register.'
        : tournament.registrationOpen
          ? 'Registration is open. Share the link to the public page, add participants by name, or import a list.'
          : 'Registration is not open. You can still add participants by name.'}
    </EmptyState>
  ) : (
    <p className="rounded border px-5 py-8 text-muted">{views[view].emptyText}</p>
  );

  return (
    <section aria-labelledby="participants" className="grid grid-cols-1 gap-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-3">
        <h2 id="participants" className="display mr-auto text-xl max-sm:sr-only">
          Participants
        </h2>
        <SearchInput
          label="Search participants"
          className="flex-1 sm:w-64 sm:flex-none"
          value={search}
          onSearch={setSearch}
        />
        {toolbar}
      </div>
      <ViewFilters rows={rows} complete={complete} view={view} onView={setView} />
      {query.isPending ? (
        <SkeletonTable label="Loading participants" />
      ) : query.isError && rows.length === 0 ? (
        <QueryError title="The participants could not be loaded" query={query} />
      ) : (
        <>
          {complete ? null : (
            <p role="status" className="text-muted">
              {query.isError
                ? 'Some participants could not be loaded. '
                : `Loading participants (${rows.length} so far)…`}
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
          {view === 'all' ? null : <SlotNote participant={visible[0]} tournament={tournament} />}
          {visible.length === 0 && complete ? (
            emptyState
          ) : (
            <ParticipantGrid
              rows={visible}
              teams={tournament.teamSize > 1}
              selection={selection}
              onSelection={setSelected}
              active={active}
              onActive={setActive}
              sort={sort}
              onSort={setSort}
              changed={changed}
              busy={run?.running ? busy : noIds}
              onOpen={setOpenId}
              onAct={(action, row) => requestAction(action, [row])}
              onGuest={canWrite ? actOnGuest : null}
            />
          )}
        </>
      )}
      {actionNames.map((action) => (
        <ActionKey key={action} action={action} run={onKey} />
      ))}
      <SelectionBar
        rows={selectedRows}
        run={run}
        onAct={(action) => requestAction(action, selectedRows)}
        onStop={stop}
        onClear={() => {
          setSelected(emptySelection);
          clear();
        }}
      />
      <ActionDialog
        pending={pendingAction}
        onDone={({ action, rows: targets }, reason) => void performAction(action, targets, reason)}
        onClose={() => setPendingAction(null)}
      />
      <ParticipantDrawer
        row={rows.find(({ id }) => id === openId) ?? null}
        tournament={tournament}
        onClose={() => setOpenId(null)}
        onAct={(action, row) => requestAction(action, [row])}
        onGuest={canWrite ? actOnGuest : null}
        onChanged={onChanged}
      />
      {edited ? (
        <EditGuestDialog
          row={edited}
          tournamentId={tournament.id}
          onClose={() => setEdited(null)}
          onChanged={onChanged}
        />
      ) : null}
      {fallback}
    </section>
  );
}
