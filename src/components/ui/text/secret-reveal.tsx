'use client';

import { Eye, EyeOff } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from '@/components/ui/form/button';
import { CopyButton } from '@/components/ui/text/copy';

/** A secret with buttons to show and copy it. `note` explains how to handle it. */
export function SecretReveal({
  value,
  label,
  note,
  shown: initiallyShown = false,
}: {
  value: string;
  label: string;
  note?: ReactNode;
  shown?: boolean;
}) {
  const [shown, setShown] = useState(initiallyShown);
  return (
    <div className="rounded border border-line-strong bg-sunken">
      <div className="flex items-center gap-1 py-1.5 pr-1.5 pl-3">
        <span className="sr-only">{label}</span>
        <code className="min-w-0 flex-1 font-mono text-sm break-all text-ink">
          {shown ? value : '•'.repeat(Math.min(value.length, 40))}
        </code>
        <Button
          variant="ghost"
          size="icon"
          className="size-7 max-sm:size-9"
          aria-pressed={shown}
          aria-label={shown ? `Hide ${label}` : `Show ${label}`}
          onClick={() => setShown(!shown)}
          icon={shown ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
        />
        <CopyButton value={value} label={`Copy ${label}`} />
      </div>
      {note ? <p className="border-t px-3 py-2 text-xs text-muted">{note}</p> : null}
    </div>
  );
}
