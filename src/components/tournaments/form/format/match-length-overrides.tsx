'use client';

import { Plus, Trash2 } from 'lucide-react';
import { get, useFormContext, useWatch } from 'react-hook-form';
import {
  lengths,
  type Override,
  partsOf,
  roundKey,
  roundKeys,
  roundLabel,
  withRound,
} from '@/components/tournaments/form/format/match-lengths';
import { SettingField } from '@/components/tournaments/form/setting-field';
import type { FormValues } from '@/components/tournaments/form/values';
import { Button } from '@/components/ui/form/button';
import { Select } from '@/components/ui/form/select';

/** Other lengths for some rounds, such as a final of five games. */
export function MatchLengthOverrides() {
  const { control, setValue, formState } = useFormContext<FormValues>();
  const [format, options] = useWatch({ control, name: ['format', 'formatOptions'] });
  const parts = partsOf(format, options);
  const all = options.bestOfOverrides ?? [];
  const change = (next: Override[]) =>
    setValue('formatOptions.bestOfOverrides', next.length > 0 ? next : undefined, {
      shouldDirty: true,
      shouldValidate: true,
    });
  const replace = (at: number, next: Override) => change(all.map((one, index) => (index === at ? next : one)));
  const errorOf = (at: number): string | undefined => {
    const found: { message?: string; bestOf?: { message?: string } } | undefined = get(
      formState.errors,
      `formatOptions.bestOfOverrides.${at}`,
    );
    return found?.message ?? found?.bestOf?.message;
  };
  return (
    <SettingField
      name="formatOptions.bestOfOverrides"
      of="formatOptions"
      label="Longer or shorter rounds"
      hint="If several apply to a match, the last one counts."
      group
    >
      {(locked) => (
        <div className="grid grid-cols-1 gap-3">
          {all.length > 0 ? (
            <ol className="grid grid-cols-1 gap-3">
              {all
                .map((override, at) => ({ override, at }))
                .map(({ override, at }) => {
                  const key = roundKey(override);
                  const isFinal = override.bracket === 'final';
                  const label = `Exception ${at + 1}`;
                  return (
                    <li
                      key={at}
                      className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-2 sm:grid-cols-[minmax(0,1.2fr)_minmax(0,1.2fr)_minmax(0,1fr)_auto]"
                    >
                      <Select
                        aria-label={`${label}: part`}
                        value={override.bracket}
                        onValueChange={(bracket) =>
                          replace(at, { bracket: bracket as Override['bracket'], bestOf: override.bestOf })
                        }
                        options={parts}
                        disabled={locked}
                        className="max-sm:col-start-1"
                      />
                      <Select
                        aria-label={`${label}: round`}
                        value={key}
                        onValueChange={(next) => replace(at, withRound(override, next))}
                        options={roundKeys(key).map((value) => ({ value, label: roundLabel(value) }))}
                        disabled={locked || isFinal}
                        className="max-sm:col-start-1"
                      />
                      <Select
                        aria-label={`${label}: length`}
                        value={String(override.bestOf)}
                        onValueChange={(bestOf) => replace(at, { ...override, bestOf: Number(bestOf) })}
                        options={lengths(override.bracket === 'group').map(({ value, label: text }) => ({
                          value: String(value),
                          label: text,
                        }))}
                        disabled={locked}
                        className="max-sm:col-start-1"
                      />
                      <Button
                        variant="ghost"
                        size="icon"
                        aria-label={`Remove exception ${at + 1}`}
                        icon={<Trash2 aria-hidden />}
                        disabled={locked}
                        className="max-sm:col-start-2 max-sm:row-start-1"
                        onClick={() => change(all.filter((_, index) => index !== at))}
                      />
                      {errorOf(at) ? <p className="text-sm text-danger sm:col-span-4">{errorOf(at)}</p> : null}
                    </li>
                  );
                })}
            </ol>
          ) : null}
          <Button
            size="sm"
            className="justify-self-start"
            icon={<Plus aria-hidden />}
            disabled={locked || all.length >= 50}
            onClick={() => change([...all, { bracket: parts.at(-1)?.value ?? 'final', bestOf: 3 }])}
          >
            Add an exception
          </Button>
        </div>
      )}
    </SettingField>
  );
}
