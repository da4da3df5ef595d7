'use client';

import { CircleCheck, CircleMinus } from 'lucide-react';
import { useFormContext } from 'react-hook-form';
import type { EventType } from '@/components/webhooks/form/event-picker';
import { type FormValues, toCondition } from '@/components/webhooks/form/values';
import { valueAt } from '@/domain/json/value-at';
import { type Condition, conditionSchema, type EventData, refusedBy } from '@/domain/webhooks/filters';

/** Of events that pass and of events that do not. */
const maxExamplesShown = 4;

function exampleData(type: EventType): EventData | null {
  const data = valueAt(type.example, 'data');
  const kind = valueAt(data, 'aggregateType');
  const id = valueAt(data, 'aggregateId');
  if (typeof kind !== 'string' || typeof id !== 'string') return null;
  return {
    aggregateType: kind,
    aggregateId: id,
    payload: valueAt(data, 'payload'),
    metadata: valueAt(data, 'metadata'),
  };
}

function explainMismatch(condition: Condition, data: EventData): string {
  const found = valueAt(data, condition.field);
  if (found === undefined) return `it has no ${condition.field}`;
  return `its ${condition.field} is ${JSON.stringify(found)}`;
}

/** Whether one of the patterns covers the event type. */
export function isSubscribed(type: EventType, patterns: string[]): boolean {
  return patterns.includes('*') || patterns.includes(`${type.group}.*`) || patterns.includes(type.type);
}

/** Applies the filters to the examples of the selected event types, and shows which would be sent. */
export function FilterPreview({ types }: { types: EventType[] }) {
  const { watch } = useFormContext<FormValues>();
  const [patterns, aggregateTypes, drafts] = watch(['events', 'aggregateTypes', 'conditions']);
  const conditions = drafts.map(toCondition).filter((condition) => conditionSchema.safeParse(condition).success);
  const lines = types
    .filter((type) => isSubscribed(type, patterns))
    .flatMap((type) => {
      const data = exampleData(type);
      return data ? [{ type, data, refusal: refusedBy({ aggregateTypes, conditions }, data) }] : [];
    });
  if (lines.length === 0) return <p className="text-muted">Select events above to see which of them would be sent.</p>;
  const passing = lines.filter((line) => line.refusal === null);
  const refused = lines.filter((line) => line.refusal !== null);
  return (
    <div className="rounded border bg-sunken px-4 py-3">
      <p className="label text-muted">Preview with example events</p>
      <p role="status" className="numerals mt-1">
        {passing.length} of {lines.length} would be sent.
      </p>
      <ul className="mt-2 grid gap-1.5">
        {[...refused.slice(0, maxExamplesShown), ...passing.slice(0, maxExamplesShown)].map(
          ({ type, data, refusal }) => (
            <li key={type.type} className="flex items-start gap-2">
              {refusal ? (
                <CircleMinus aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
              ) : (
                <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-accent" />
              )}
              <span className="min-w-0 wrap-anywhere">
                <code className="font-mono text-xs">{type.type}</code>{' '}
                <span className="text-muted">
                  {refusal === null
                    ? 'would be sent'
                    : 'condition' in refusal
                      ? `would not be sent: ${explainMismatch(refusal.condition, data)}`
                      : `would not be sent: its subject is ${data.aggregateType}`}
                </span>
              </span>
            </li>
          ),
        )}
      </ul>
      <p className="mt-2 text-xs text-faint">
        The examples use made-up tournaments and players, so the tournament and user filters are not applied here.
      </p>
    </div>
  );
}
