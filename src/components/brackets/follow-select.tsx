'use client';

import { Star } from 'lucide-react';
import { participantsIn } from '@/components/brackets/match-words';
import type { BracketMatch } from '@/components/brackets/types';
import { cn } from '@/components/ui/cn';
import { controlClass } from '@/components/ui/form/input';

/** Chooses the participant to follow. A native list: quick with hundreds of names and at home on phones. */
export function FollowSelect({
  matches,
  value,
  onChange,
}: {
  matches: BracketMatch[];
  value: string | null;
  onChange: (participantId: string | null) => void;
}) {
  const participants = participantsIn(matches);
  return (
    <label className="relative flex min-w-0 items-center max-sm:flex-1">
      <span className="sr-only">Follow a participant</span>
      <Star
        aria-hidden
        className={cn('pointer-events-none absolute left-3 size-4', value ? 'fill-accent text-accent' : 'text-faint')}
      />
      <select
        value={participants.some(({ id }) => id === value) ? (value ?? '') : ''}
        onChange={(event) => onChange(event.target.value || null)}
        className={cn(controlClass, 'h-9 truncate pl-9 max-sm:h-11 sm:w-56')}
      >
        <option value="">Follow a participant</option>
        {participants.map(({ id, name, seed }) => (
          <option key={id} value={id}>
            {seed === null ? name : `${seed}. ${name}`}
          </option>
        ))}
      </select>
    </label>
  );
}
