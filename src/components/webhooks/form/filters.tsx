'use client';

import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { Controller, useFormContext } from 'react-hook-form';
import { Checkbox } from '@/components/ui/form/choices';
import { Combobox } from '@/components/ui/form/combobox';
import { Field } from '@/components/ui/form/field';
import { Textarea } from '@/components/ui/form/input';
import { CollapsibleSection } from '@/components/webhooks/form/collapsible-section';
import { Conditions } from '@/components/webhooks/form/conditions';
import type { EventType } from '@/components/webhooks/form/event-picker';
import { FilterPreview } from '@/components/webhooks/form/filter-preview';
import { type FormValues, splitList } from '@/components/webhooks/form/values';
import { counted } from '@/domain/text/counted';
import { useTRPC } from '@/trpc/client';

function AggregateTypes({ types }: { types: EventType[] }) {
  const form = useFormContext<FormValues>();
  const kinds = [...new Set(types.map((type) => type.aggregateType))];
  return (
    <Controller
      control={form.control}
      name="aggregateTypes"
      render={({ field, fieldState }) => (
        <Field
          label="Subject of the event"
          group
          error={fieldState.error?.message}
          hint="Leave all unchecked to receive events about anything."
        >
          <div className="flex flex-wrap gap-x-6 gap-y-2">
            {kinds.map((kind) => (
              <Checkbox
                key={kind}
                checked={field.value.includes(kind)}
                onCheckedChange={(on) =>
                  field.onChange(on ? [...field.value, kind] : field.value.filter((each: string) => each !== kind))
                }
                label={<code className="font-mono text-sm font-normal">{kind}</code>}
              />
            ))}
          </div>
        </Field>
      )}
    />
  );
}

function Tournaments({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const form = useFormContext<FormValues>();
  const list = useQuery(trpc.tournaments.forProject.queryOptions({ projectId, limit: 100 }));
  const all = list.data?.items ?? [];
  return (
    <Controller
      control={form.control}
      name="tournamentIds"
      render={({ field, fieldState }) => {
        const chosen: string[] = field.value;
        return (
          <Field
            label="Tournaments"
            group
            error={fieldState.error?.message}
            hint="Leave empty for all tournaments. If you choose any, events without a tournament are not sent."
          >
            <Combobox
              label="Add tournament"
              placeholder={list.isPending ? 'Loading tournaments' : 'Add tournament'}
              searchPlaceholder="Search tournaments"
              options={all
                .filter(({ id }) => !chosen.includes(id))
                .map(({ id, name, slug }) => ({ value: id, label: name, keywords: [slug, id] }))}
              onValueChange={(id) => field.onChange([...chosen, id])}
            />
            {chosen.length > 0 ? (
              <ul className="flex flex-wrap gap-2">
                {chosen.map((id) => {
                  const name = all.find((each) => each.id === id)?.name ?? id;
                  return (
                    <li
                      key={id}
                      className="flex max-w-full items-center gap-1 rounded border bg-surface py-1 pr-1 pl-2.5 text-sm"
                    >
                      <span className="truncate" dir="auto">
                        {name}
                      </span>
                      <button
                        type="button"
                        aria-label={`Remove ${name}`}
                        onClick={() => field.onChange(chosen.filter((each) => each !== id))}
                        className="grid size-6 shrink-0 place-items-center rounded text-muted hover:bg-hover hover:text-ink"
                      >
                        <X aria-hidden className="size-4" />
                      </button>
                    </li>
                  );
                })}
              </ul>
            ) : null}
          </Field>
        );
      }}
    />
  );
}

function summarizeFilters(values: FormValues): string {
  const users = splitList(values.userIds).length;
  const parts = [
    values.aggregateTypes.length > 0 ? `about ${values.aggregateTypes.join(', ')}` : null,
    values.tournamentIds.length > 0 ? `in ${counted(values.tournamentIds.length, 'tournament')}` : null,
    users > 0 ? `about ${counted(users, 'user')}` : null,
    values.conditions.length > 0 ? `that match ${counted(values.conditions.length, 'condition')}` : null,
  ].filter(Boolean);
  return parts.length === 0 ? 'None. All events of the types above are sent.' : `Only events ${parts.join(', ')}.`;
}

/** Filters that narrow down the selected event types. */
export function FiltersSection({ projectId, types }: { projectId: string; types: EventType[] }) {
  const form = useFormContext<FormValues>();
  const { errors } = form.formState;
  return (
    <CollapsibleSection
      title="Filters"
      description="Only events that match all filters are sent. The others do not appear in the delivery list."
      summary={summarizeFilters(form.watch())}
      hasErrors={Boolean(errors.aggregateTypes || errors.tournamentIds || errors.userIds || errors.conditions)}
    >
      <Tournaments projectId={projectId} />
      <Conditions types={types} />
      <AggregateTypes types={types} />
      <Field
        label="Users"
        error={errors.userIds?.message}
        hint="User IDs, one per line. Only events about one of these users are sent."
      >
        <Textarea {...form.register('userIds')} rows={2} spellCheck={false} className="font-mono" placeholder="usr_…" />
      </Field>
      <FilterPreview types={types} />
    </CollapsibleSection>
  );
}
