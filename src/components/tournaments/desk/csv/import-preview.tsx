'use client';

import { Check, CircleX, ListOrdered } from 'lucide-react';
import { useState } from 'react';
import type { ImportResult } from '@/components/tournaments/desk/queries';
import { Badge } from '@/components/ui/data/badge';
import { Button } from '@/components/ui/form/button';
import { Checkbox } from '@/components/ui/form/choices';

const pageSize = 100;

function Outcome({ outcome, committed }: { outcome: ImportResult['lines'][number]['outcome']; committed: boolean }) {
  if (outcome === 'approved') {
    return (
      <Badge tone="accent" icon={Check}>
        {committed ? 'Imported' : 'Ready'}
      </Badge>
    );
  }
  if (outcome === 'waitlisted') return <Badge icon={ListOrdered}>Waitlist</Badge>;
  return (
    <Badge tone="danger" icon={CircleX}>
      Skipped
    </Badge>
  );
}

/** The result of every line, before or after the import. With many lines, it starts with the skipped ones. */
export function ImportPreview({ result, committed }: { result: ImportResult; committed: boolean }) {
  const { totals, lines, ignoredColumns } = result;
  const [skippedOnly, setSkippedOnly] = useState(totals.refused > 0 && totals.lines > 12);
  const [limit, setLimit] = useState(pageSize);
  const visible = skippedOnly ? lines.filter(({ outcome }) => outcome === null) : lines;
  return (
    <div className="grid grid-cols-1 gap-4">
      <p role="status" className="flex flex-wrap gap-x-6 gap-y-1">
        <span>
          <strong className="figure text-lg">{totals.approved}</strong> {committed ? 'imported' : 'ready'}
        </span>
        <span>
          <strong className="figure text-lg">{totals.waitlisted}</strong>{' '}
          {committed ? 'on the waitlist' : 'for the waitlist'}
        </span>
        <span className={totals.refused > 0 ? 'text-danger' : undefined}>
          <strong className="figure text-lg">{totals.refused}</strong> skipped
        </span>
      </p>
      {ignoredColumns.length > 0 ? (
        <p className="wrap-anywhere text-muted">Ignored columns: {ignoredColumns.join(', ')}.</p>
      ) : null}
      {totals.refused > 0 && totals.refused < totals.lines ? (
        <Checkbox label="Show only skipped lines" checked={skippedOnly} onCheckedChange={setSkippedOnly} />
      ) : null}
      <ul className="divide-y rounded border text-sm">
        {visible.slice(0, limit).map(({ line, email, name, outcome, issues }) => (
          <li key={line} className="grid grid-cols-[3.5rem_minmax(0,1fr)_auto] items-start gap-x-3 gap-y-1 px-3 py-2">
            <span className="numerals text-muted">Line {line}</span>
            <span className="min-w-0">
              <span dir="auto" className="block truncate font-medium">
                {name ?? (email || 'No name')}
              </span>
              {name && email ? <span className="block truncate text-muted">{email}</span> : null}
              {issues.map(({ column, message }) => (
                <span key={`${column} ${message}`} className="block wrap-anywhere text-danger">
                  {column && !message.startsWith(column) ? `${column}: ` : ''}
                  {message}
                </span>
              ))}
            </span>
            <Outcome outcome={outcome} committed={committed} />
          </li>
        ))}
      </ul>
      {visible.length > limit ? (
        <Button onClick={() => setLimit(limit + pageSize * 5)}>Show more of {visible.length} lines</Button>
      ) : null}
    </div>
  );
}
