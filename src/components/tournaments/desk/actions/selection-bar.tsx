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
        <Copy value={codes} label="Copy the codes" />
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

/** Who is selected and what can be done with them; stays above the thumb. Shows how far a run is and whom it refused. */
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
  const phone = useNarrowScreen(48);
  const narrow = useNarrowScreen(80);
  const running = run?.running ?? false;
  const shown =
    rows.length > 0 || (run !== null && (running ? run.total > 1 : run.total > 1 && run.refused.length > 0));
  const possible = availableActions(rows);
  const inSight = possible.slice(0, phone ? 1 : narrow ? 2 : 4);
  const behind = possible.slice(inSight.length);
  return (
    <div role="status" aria-live="polite" className="sticky bottom-3 z-20 max-md:bottom-17">
      {shown ? (
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
                <span className="text-muted">Nobody is selected</span>
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
                {inSight.map(({ action, count }, index) => {
                  const { label: word, key, icon: Icon } = actionDefinitions[action];
                  return (
                    <Button
                      key={action}
                      size="sm"
                      className="max-md:h-11"
                      variant={index === 0 ? 'primary' : 'secondary'}
                      icon={<Icon aria-hidden />}
                      onClick={() => onAct(action)}
                    >
                      {word} {count}
                      <span className="max-md:hidden" aria-hidden>
                        <Kbd>{key.toUpperCase()}</Kbd>
                      </span>
                    </Button>
                  );
                })}
                {behind.length > 0 ? (
                  <Menu
                    label="More for who is selected"
                    trigger={
                      <Button size="sm" className="max-md:h-11" icon={<EllipsisVertical aria-hidden />}>
                        <span className="max-md:sr-only">More</span>
                      </Button>
                    }
                  >
                    {behind.map(({ action, count }) => {
                      const { label: word, key, icon: Icon, danger } = actionDefinitions[action];
                      return (
                        <MenuItem
                          key={action}
                          icon={<Icon aria-hidden />}
                          danger={danger}
                          shortcut={key.toUpperCase()}
                          onSelect={() => onAct(action)}
                        >
                          {word} {count}
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
