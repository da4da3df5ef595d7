'use client';

import { Braces, ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { cn } from '@/components/ui/cn';
import { Button } from '@/components/ui/form/button';
import { Checkbox } from '@/components/ui/form/choices';
import { CodeBlock } from '@/components/ui/text/code-block';
import type { Outputs } from '@/trpc/outputs';

export type EventType = Outputs['webhooks']['eventTypes']['items'][number];

const titles: Record<string, string> = {
  tournament: 'Tournaments',
  registration: 'Registration windows',
  participant: 'Entrants',
  match: 'Matches',
  circuit: 'Circuits and seasons',
  payment: 'Payments',
  payout: 'Payouts',
  broadcast: 'Broadcasts',
  user: 'Users',
  anticheat: 'Anti-cheat',
};

function groupsOf(types: EventType[]): [string, EventType[]][] {
  const groups = new Map<string, EventType[]>();
  for (const type of types) {
    if (type.group in titles) groups.set(type.group, [...(groups.get(type.group) ?? []), type]);
  }
  return [...groups];
}

/** Patterns after ticking or unticking one; what a wider pattern covers is not kept beside it. */
function toggled(value: string[], pattern: string, on: boolean): string[] {
  if (pattern === '*') return on ? ['*'] : [];
  const rest = value.filter((each) => each !== pattern);
  if (!on) return rest;
  if (!pattern.endsWith('.*')) return [...rest, pattern];
  return [...rest.filter((each) => !each.startsWith(pattern.slice(0, -1))), pattern];
}

/** One type with what it means, and on request what arrives. */
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
          label={<code className="font-mono text-sm font-normal">{type.type}</code>}
          hint={type.description.replaceAll('`', '')}
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
  name,
  types,
  value,
  onChange,
}: {
  name: string;
  types: EventType[];
  value: string[];
  onChange: (value: string[]) => void;
}) {
  const [open, setOpen] = useState(false);
  const pattern = `${name}.*`;
  const everything = value.includes('*');
  const whole = everything || value.includes(pattern);
  const chosen = types.filter((type) => value.includes(type.type)).length;
  return (
    <section className="border-b last:border-b-0">
      <div className="flex items-center gap-3 px-4 py-2.5">
        <Checkbox
          aria-label={`All events of ${titles[name]}`}
          checked={whole ? true : chosen > 0 ? 'indeterminate' : false}
          disabled={everything}
          onCheckedChange={(on) => onChange(toggled(value, pattern, on))}
        />
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="flex min-h-6 flex-1 items-center justify-between gap-3 text-start"
        >
          <span className="font-medium">{titles[name]}</span>
          <span className="flex items-center gap-2 text-xs text-muted">
            <span className="numerals">{whole ? 'all, also new ones' : `${chosen} of ${types.length}`}</span>
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
              onChange={(on) => onChange(toggled(value, type.type, on))}
            />
          ))}
        </ul>
      ) : null}
    </section>
  );
}

/** Chooses event types by group, by type or all; each can be looked at as it arrives. */
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
          onCheckedChange={(on) => onChange(toggled(value, '*', on))}
          label="Everything"
          hint="Every event of the project, also types that are added later."
        />
      </div>
      {groupsOf(types).map(([name, members]) => (
        <Group key={name} name={name} types={members} value={value} onChange={onChange} />
      ))}
    </div>
  );
}
