'use client';

import { ArrowDown, ArrowUp, RotateCcw, X } from 'lucide-react';
import { useFormContext, useWatch } from 'react-hook-form';
import { tieBreak } from '@/components/brackets/tables/tie-break-words';
import { SettingField } from '@/components/tournaments/form/setting-field';
import type { FormValues } from '@/components/tournaments/form/values';
import { Button } from '@/components/ui/form/button';
import { Select } from '@/components/ui/form/select';
import { defaultTiebreakers } from '@/domain/brackets/options';
import { TIEBREAKERS, type TiebreakerName } from '@/domain/brackets/types';

const titleOf = (key: TiebreakerName) => {
  const { name } = tieBreak(key);
  return name.charAt(0).toUpperCase() + name.slice(1);
};

/** What orders a table, first what counts most. Each says in plain words what it is. */
export function TiebreakerOrder() {
  const { control, setValue } = useFormContext<FormValues>();
  const [format, options] = useWatch({ control, name: ['format', 'formatOptions'] });
  const standard = defaultTiebreakers(format, options);
  const order: readonly TiebreakerName[] = options.tiebreakers ?? standard;
  const isStandard = options.tiebreakers === undefined;
  const change = (next: readonly TiebreakerName[] | undefined) =>
    setValue('formatOptions.tiebreakers', next ? [...next] : undefined, { shouldDirty: true, shouldValidate: true });

  function move(at: number, by: -1 | 1) {
    const next = [...order];
    const [moved] = next.splice(at, 1);
    if (!moved) return;
    next.splice(at + by, 0, moved);
    change(next);
  }

  const left = TIEBREAKERS.filter((key) => !order.includes(key));
  return (
    <SettingField
      name="formatOptions.tiebreakers"
      of="formatOptions"
      label="Ranking criteria"
      hint="The first counts most. Each of the others decides between participants who are still tied."
      group
    >
      {(locked) => (
        <div className="grid grid-cols-1 gap-3">
          <ol className="grid grid-cols-1 divide-y rounded border">
            {order.map((key, at) => (
              <li key={key} className="flex items-start gap-3 px-3 py-2">
                <span className="figure w-5 shrink-0 pt-0.5 text-end text-faint">{at + 1}</span>
                <span className="grid min-w-0 flex-1">
                  <span className="font-medium">{titleOf(key)}</span>
                  <span className="text-xs text-muted">{tieBreak(key).sentence}</span>
                </span>
                <span className="flex shrink-0">
                  <Button
                    variant="ghost"
                    size="icon"
                    aria-label={`Move ${tieBreak(key).name} up`}
                    icon={<ArrowUp aria-hidden />}
                    disabled={locked || at === 0}
                    onClick={() => move(at, -1)}
                  />
                  <Button
                    variant="ghost"
                    size="icon"
                    aria-label={`Move ${tieBreak(key).name} down`}
                    icon={<ArrowDown aria-hidden />}
                    disabled={locked || at === order.length - 1}
                    onClick={() => move(at, 1)}
                  />
                  <Button
                    variant="ghost"
                    size="icon"
                    aria-label={`Remove ${tieBreak(key).name}`}
                    icon={<X aria-hidden />}
                    disabled={locked || order.length === 1}
                    onClick={() => change(order.filter((one) => one !== key))}
                  />
                </span>
              </li>
            ))}
          </ol>
          <div className="flex flex-wrap items-center gap-3">
            {left.length > 0 ? (
              <Select
                aria-label="Add a tie-break"
                placeholder="Add a tie-break"
                value=""
                onValueChange={(key) => change([...order, key as TiebreakerName])}
                options={left.map((key) => ({ value: key, label: titleOf(key), hint: tieBreak(key).sentence }))}
                disabled={locked}
                className="w-64"
              />
            ) : null}
            {isStandard ? (
              <span className="text-xs text-faint">This is the usual order for this format.</span>
            ) : (
              <Button
                size="sm"
                variant="ghost"
                icon={<RotateCcw aria-hidden />}
                disabled={locked}
                onClick={() => change(undefined)}
              >
                Use the usual order
              </Button>
            )}
          </div>
        </div>
      )}
    </SettingField>
  );
}
