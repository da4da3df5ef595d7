'use client';

import { type Draft, drafted, type Rule, textProblem } from '@/components/anticheat/rules/draft';
import { StatusBadge } from '@/components/ui/data/status-badge';
import { Button } from '@/components/ui/form/button';
import { Switch } from '@/components/ui/form/choices';
import { Field } from '@/components/ui/form/field';
import { Input } from '@/components/ui/form/input';

type Threshold = Rule['thresholds'][number];
type Change = { enabled: boolean } | { name: string; text: string };

/** `floorMs` as `Floor`: the unit stands beside the field. */
function labelOf(name: string): string {
  const words = name.replace(/Ms$/, '').replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function ThresholdField({
  threshold,
  text,
  disabled,
  onChange,
}: {
  threshold: Threshold;
  text: string;
  disabled: boolean;
  onChange: (text: string) => void;
}) {
  const { name, meaning, unit, standard, min, max } = threshold;
  return (
    <Field
      label={labelOf(name)}
      required
      error={textProblem(threshold, text) ?? undefined}
      hint={`${meaning} Default ${standard}, from ${min} to ${max}.`}
      aside={
        Number(text) === standard || disabled ? (
          <code className="font-mono">{name}</code>
        ) : (
          <Button size="sm" variant="link" className="text-xs" onClick={() => onChange(String(standard))}>
            Reset to {standard}
          </Button>
        )
      }
    >
      <Input
        type="number"
        inputMode="decimal"
        step="any"
        value={text}
        disabled={disabled}
        suffix={unit}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}

/** A rule with its switch and thresholds. */
export function RuleCard({
  rule,
  draft,
  canChange,
  onChange,
}: {
  rule: Rule;
  draft: Draft;
  canChange: boolean;
  onChange: (change: Change) => void;
}) {
  const { enabled, thresholds } = drafted(rule, draft);
  return (
    <li className="grid gap-4 rounded border bg-surface p-5">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-72">
          <Switch
            checked={enabled}
            disabled={!canChange}
            onCheckedChange={(on) => onChange({ enabled: on })}
            label={rule.name}
            hint={rule.description}
          />
        </div>
        <StatusBadge kind="severity" status={rule.severity} />
      </div>
      {rule.thresholds.length > 0 ? (
        <div className="grid gap-5 border-t pt-4 sm:grid-cols-2 lg:grid-cols-3">
          {rule.thresholds.map((threshold) => (
            <ThresholdField
              key={threshold.name}
              threshold={threshold}
              text={thresholds[threshold.name] ?? ''}
              disabled={!canChange || !enabled}
              onChange={(text) => onChange({ name: threshold.name, text })}
            />
          ))}
        </div>
      ) : null}
      {rule.replays ? null : (
        <p className="text-xs text-faint">Not part of a replay: it reads heartbeats, which are not stored.</p>
      )}
    </li>
  );
}
