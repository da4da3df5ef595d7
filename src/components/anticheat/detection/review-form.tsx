'use client';

import { CircleHelp, Save, ShieldAlert, ShieldCheck, Undo2 } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import type { Detection } from '@/components/anticheat/types';
import type { Reviews } from '@/components/anticheat/use-reviews';
import { statusLabel } from '@/components/ui/data/status-badge';
import { Button } from '@/components/ui/form/button';
import { Field } from '@/components/ui/form/field';
import { Textarea } from '@/components/ui/form/input';
import { Kbd } from '@/components/ui/navigation/kbd';
import { useShortcut } from '@/components/ui/navigation/use-shortcut';
import { RelativeTime } from '@/components/ui/text/date-time';
import { maxNoteLength, type Verdict } from '@/domain/anticheat/reviews';

const choices: { verdict: Verdict; label: string; key: string; icon: ReactNode }[] = [
  { verdict: 'confirmed', label: 'Confirm', key: 'c', icon: <ShieldAlert aria-hidden /> },
  { verdict: 'dismissed', label: 'Dismiss', key: 'd', icon: <ShieldCheck aria-hidden /> },
  { verdict: 'inconclusive', label: 'Inconclusive', key: 'i', icon: <CircleHelp aria-hidden /> },
];

/** Who decided what, in a sentence. */
function ReviewedBy({ detection: { verdict, reviewedBy, reviewedAt } }: { detection: Detection }) {
  if (!verdict) return null;
  return (
    <p className="text-muted">
      {statusLabel('review', verdict)}
      {reviewedBy ? (
        <>
          {' by '}
          <bdi className="text-ink">{reviewedBy.name ?? 'a deleted user'}</bdi>
        </>
      ) : null}
      {reviewedAt ? (
        <>
          {' · '}
          <RelativeTime value={reviewedAt} />
        </>
      ) : null}
    </p>
  );
}

/** The review of a detection for those who can only read it. */
export function ReviewText({ detection }: { detection: Detection }) {
  return (
    <section aria-label="Review" className="grid grid-cols-1 gap-2 rounded border bg-surface p-5">
      {detection.verdict ? <ReviewedBy detection={detection} /> : <p className="text-muted">Nobody reviewed it yet.</p>}
      {detection.note ? <p className="wrap-anywhere whitespace-pre-wrap">{detection.note}</p> : null}
    </section>
  );
}

/** Confirms, dismisses or leaves open a detection, with a note; each with its key. Mount it anew for each detection. */
export function ReviewForm({
  detection,
  reviews,
  onDecide,
}: {
  detection: Detection;
  reviews: Reviews;
  /** Called before a verdict is recorded, so that the page can go on to the next detection. */
  onDecide?: (verdict: Verdict) => void;
}) {
  const [draft, setDraft] = useState<string | null>(null);
  const field = useRef<HTMLDivElement>(null);
  const note = draft ?? detection.note ?? '';
  const { verdict } = detection;

  function decide(next: Verdict) {
    if (next === verdict && note.trim() === (detection.note ?? '')) return;
    if (next !== verdict) onDecide?.(next);
    setDraft(null);
    void reviews.decide(detection, { verdict: next, note: note.trim() || null });
  }

  useShortcut('c', 'Confirm the detection', () => decide('confirmed'));
  useShortcut('d', 'Dismiss the detection', () => decide('dismissed'));
  useShortcut('i', 'Mark the detection as inconclusive', () => decide('inconclusive'));
  useShortcut('n', 'Write a note for the review', () => field.current?.querySelector('textarea')?.focus());
  useShortcut('u', 'Undo the last review', () => reviews.undoLast());

  return (
    <section aria-label="Review" className="grid grid-cols-1 gap-4 rounded border bg-surface p-5">
      <div className="flex flex-wrap items-center gap-2">
        {choices.map(({ verdict: choice, label, key, icon }) => (
          <Button
            key={choice}
            icon={icon}
            aria-pressed={verdict === choice}
            aria-keyshortcuts={key}
            className="aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent max-sm:flex-1"
            onClick={() => decide(choice)}
          >
            {label}
            <span aria-hidden className="max-md:hidden">
              <Kbd>{key}</Kbd>
            </span>
          </Button>
        ))}
        {verdict ? (
          <Button
            variant="ghost"
            icon={<Undo2 aria-hidden />}
            onClick={() => void reviews.decide(detection, { verdict: null, note: null })}
          >
            Take back
          </Button>
        ) : null}
      </div>
      <ReviewedBy detection={detection} />
      <div ref={field} className="grid grid-cols-1 justify-items-start gap-2 *:w-full">
        <Field label="Note" hint="For the staff of this project; the player does not see it. Saved with the verdict.">
          <Textarea
            rows={2}
            maxLength={maxNoteLength}
            value={note}
            onChange={(event) => setDraft(event.target.value)}
            onKeyDown={(event) => {
              // Back to the keys of the page, with what was written so far.
              if (event.key === 'Escape') event.currentTarget.blur();
            }}
          />
        </Field>
        {verdict && note.trim() !== (detection.note ?? '') ? (
          <Button size="sm" icon={<Save aria-hidden />} className="w-auto!" onClick={() => decide(verdict)}>
            Save note
          </Button>
        ) : null}
      </div>
    </section>
  );
}
