'use client';

import { EllipsisVertical } from 'lucide-react';
import { actionDefinitions, availableActions, refusalSummary } from '@/components/tournaments/desk/actions/actions';
import type { Run } from '@/components/tournaments/desk/actions/use-actions';
import { useNarrowScreen } from '@/components/tournaments/desk/grid/use-narrow-screen';
import type { DeskAction, DeskRow } from '@/components/tournaments/desk/queries';
import { Progress } from '@/components/ui/data/progress';
import { Button } from '@/components/ui/form/button';
import { Kbd } from '@/components/ui/navigation/kbd';
import { Menu, MenuItem } from '@/components/ui/overlay/menu';
import { Copy } from '@/components/ui/text/copy';

function Refusals({ run }: { run: Run }) {
  const { title, codes } = refusalSummary(run.refused, run.total);
  return (
    <div className="grid gap-1">
      <p className="flex flex-wrap items-baseline gap-x-3">
        <strong className="font-medium text-danger">{title}</strong>
        <Copy value={codes} label="Copy error codes" />
      </p>
      <ul className="max-h-32 overflow-y-auto text-muted">
        {run.refused.map(({ id, name, message }) => (
          <li key={id} className="wrap-anywhere">
            <bdi className="text-ink">{name}</bdi>: {message}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The actions for the selected rows, the progress of a running action, and the participants it failed for. */
export function SelectionBar({
  rows,
  run,
  onAct,
  onStop,
  onClear,
}: {
  rows: DeskRow[];
  run: Run | null;
  onAct: (action: DeskAction) => void;
  onStop: () => void;
  onClear: () => void;
}) {
  const isPhone = useNarrowScreen(48);
  const isNarrow = useNarrowScreen(80);
  const running = run?.running ?? false;
  const isShown =
    rows.length > 0 || (run !== null && (running ? run.total > 1 : run.total > 1 && run.refused.length > 0));
  const actions = availableActions(rows);
  const visibleActions = actions.slice(0, isPhone ? 1 : isNarrow ? 2 : 4);
  const menuActions = actions.slice(visibleActions.length);
  return (
    <div role="status" aria-live="polite" className="sticky bottom-3 z-20 max-md:bottom-17">
      {isShown ? (
        <div
          className="grid gap-3 rounded border border-line-strong bg-raised px-4 py-3 shadow max-sm:px-3"
          data-selection-bar=""
        >
          {run && run.total > 1 && (running || run.refused.length > 0) ? (
            <Progress value={run.done} max={run.total} label={actionDefinitions[run.action].progressLabel} />
          ) : null}
          {run && !running && run.refused.length > 0 ? <Refusals run={run} /> : null}
          <div className="flex flex-wrap items-center gap-2 max-sm:gap-1.5">
            <p className="numerals">
              {rows.length > 0 ? (
                <>
                  <strong>{rows.length}</strong> selected
                </>
              ) : (
                <span className="text-muted">No participants selected</span>
              )}
            </p>
            {running ? null : (
              <Button size="sm" variant="ghost" className="max-md:h-11 max-sm:px-1.5" onClick={onClear}>
                {rows.length > 0 ? 'Clear' : 'Close'}
              </Button>
            )}
            {running ? (
              <Button size="sm" onClick={onStop}>
                Stop
              </Button>
            ) : (
              <>
                {visibleActions.map(({ action, count }, index) => {
                  const { label, key, icon: Icon } = actionDefinitions[action];
                  return (
                    <Button
                      key={action}
                      size="sm"
                      className="max-md:h-11"
                      variant={index === 0 ? 'primary' : 'secondary'}
                      icon={<Icon aria-hidden />}
                      onClick={() => onAct(action)}
                    >
                      {label} {count}
                      <span className="max-md:hidden" aria-hidden>
                        <Kbd>{key.toUpperCase()}</Kbd>
                      </span>
                    </Button>
                  );
                })}
                {menuActions.length > 0 ? (
                  <Menu
                    label="More actions for the selection"
                    trigger={
                      <Button size="sm" className="max-md:h-11" icon={<EllipsisVertical aria-hidden />}>
                        <span className="max-md:sr-only">More</span>
                      </Button>
                    }
                  >
                    {menuActions.map(({ action, count }) => {
                      const { label, key, icon: Icon, danger } = actionDefinitions[action];
                      return (
                        <MenuItem
                          key={action}
                          icon={<Icon aria-hidden />}
                          danger={danger}
                          shortcut={key.toUpperCase()}
                          onSelect={() => onAct(action)}
                        >
                          {label} {count}
                        </MenuItem>
                      );
                    })}
                  </Menu>
                ) : null}
              </>
            )}
          </div>
        </div>
      ) : null}
    </div>
  );
}
