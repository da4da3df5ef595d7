'use client';

import { Braces, ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { cn } from '@/components/ui/cn';
import { Badge } from '@/components/ui/data/badge';
import { Button } from '@/components/ui/form/button';
import { Checkbox } from '@/components/ui/form/choices';
import { CodeBlock } from '@/components/ui/text/code-block';
import type { Outputs } from '@/trpc/outputs';

export type EventType = Outputs['webhooks']['eventTypes']['items'][number];

type EventGroup = { id: string; title: string; types: EventType[] };

/** The types that can be subscribed to, by group. A test goes to the webhook it is sent for, so nobody subscribes to it. */
function groupTypes(types: EventType[]): EventGroup[] {
  const groups = new Map<string, EventGroup>();
  for (const type of types.filter(({ audience }) => audience !== 'subscription')) {
    const group = groups.get(type.group) ?? { id: type.group, title: type.groupTitle, types: [] };
    group.types.push(type);
    groups.set(group.id, group);
  }
  return [...groups.values()];
}

/** The patterns after one was checked or unchecked, without those that a wider pattern covers. */
function togglePattern(value: string[], pattern: string, on: boolean): string[] {
  if (pattern === '*') return on ? ['*'] : [];
  const rest = value.filter((each) => each !== pattern);
  if (!on) return rest;
  if (!pattern.endsWith('.*')) return [...rest, pattern];
  return [...rest.filter((each) => !each.startsWith(pattern.slice(0, -1))), pattern];
}

/** One type with its description, and an example on request. */
function TypeRow({
  type,
  checked,
  covered,
  onChange,
}: {
  type: EventType;
  checked: boolean;
  covered: boolean;
  onChange: (on: boolean) => void;
}) {
  const [open, setOpen] = useState(false);
  return (
    <li className="grid gap-2">
      <div className="flex items-start justify-between gap-3">
        <Checkbox
          checked={checked}
          disabled={covered}
          onCheckedChange={onChange}
          label={
            <span className="inline-flex flex-wrap items-center gap-2">
              {type.title}
              {type.planned ? <Badge>Planned</Badge> : null}
            </span>
          }
          hint={
            <>
              <code className="font-mono text-xs">{type.type}</code> · {type.description.replaceAll('`', '')}
              {type.planned ? ' Not sent yet.' : ''}
            </>
          }
        />
        <Button
          size="sm"
          variant="ghost"
          icon={<Braces aria-hidden />}
          aria-expanded={open}
          aria-label={`Example of ${type.type}`}
          onClick={() => setOpen(!open)}
        >
          <span className="max-sm:sr-only">Example</span>
        </Button>
      </div>
      {open ? <CodeBlock samples={[{ label: 'JSON', code: JSON.stringify(type.example, null, 2) }]} /> : null}
    </li>
  );
}

function Group({
  group: { id, title, types },
  value,
  onChange,
}: {
  group: EventGroup;
  value: string[];
  onChange: (value: string[]) => void;
}) {
  const [open, setOpen] = useState(false);
  const pattern = `${id}.*`;
  const all = value.includes('*');
  const whole = all || value.includes(pattern);
  const chosen = types.filter((type) => value.includes(type.type)).length;
  return (
    <section className="border-b last:border-b-0">
      <div className="flex items-center gap-3 px-4 py-2.5">
        <Checkbox
          aria-label={`All events in ${title}`}
          checked={whole ? true : chosen > 0 ? 'indeterminate' : false}
          disabled={all}
          onCheckedChange={(on) => onChange(togglePattern(value, pattern, on))}
        />
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="flex min-h-6 flex-1 items-center justify-between gap-3 text-start"
        >
          <span className="font-medium">{title}</span>
          <span className="flex items-center gap-2 text-xs text-muted">
            <span className="numerals">{whole ? 'All, including future types' : `${chosen} of ${types.length}`}</span>
            <ChevronDown aria-hidden className={cn('size-4 transition-transform', open && 'rotate-180')} />
          </span>
        </button>
      </div>
      {open ? (
        <ul className="grid gap-3 border-t bg-sunken px-4 py-3">
          {types.map((type) => (
            <TypeRow
              key={type.type}
              type={type}
              checked={whole || value.includes(type.type)}
              covered={whole}
              onChange={(on) => onChange(togglePattern(value, type.type, on))}
            />
          ))}
        </ul>
      ) : null}
    </section>
  );
}

/** Chooses event types: all, by group or one by one. Each has an example. */
export function EventPicker({
  types,
  value,
  onChange,
}: {
  types: EventType[];
  value: string[];
  onChange: (value: string[]) => void;
}) {
  return (
    <div className="rounded border bg-surface">
      <div className="border-b px-4 py-3">
        <Checkbox
          checked={value.includes('*')}
          onCheckedChange={(on) => onChange(togglePattern(value, '*', on))}
          label="All events"
          hint="Every event of the project, including types that are added later."
        />
      </div>
      {groupTypes(types).map((group) => (
        <Group key={group.id} group={group} value={value} onChange={onChange} />
      ))}
    </div>
  );
}
