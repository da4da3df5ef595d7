'use client';

import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import type { Settings } from '@/components/webhooks/form/values';

/** What a field is called where two people changed it. */
const words: Record<keyof Settings, string> = {
  url: 'URL',
  description: 'Description',
  events: 'Event types',
  signPayload: 'Signature',
  timeoutMs: 'Time limit',
  maxRetries: 'Retries',
  retryBaseDelayMs: 'First delay',
  retryBackoffMultiplier: 'Growth',
  enableCircuitBreaker: 'Circuit breaker',
  circuitBreakerThreshold: 'Failures in a row',
  circuitBreakerTimeoutMs: 'Rest of the breaker',
  rateLimitConfig: 'Rate caps',
  ipWhitelist: 'Management addresses',
  filters: 'Filters',
  healthCheck: 'Health check',
};

export type Conflict = {
  /** What was changed since this form was loaded. */
  theirs: (keyof Settings)[];
  /** What this form changes. */
  mine: (keyof Settings)[];
  version: number;
};

const named = (fields: (keyof Settings)[]) => fields.map((field) => words[field]).join(', ');

/** Someone saved the same webhook meanwhile: names what changed and lets one choose. */
export function ConflictDialog({
  conflict,
  saving,
  onClose,
  onKeepMine,
  onTakeTheirs,
}: {
  conflict: Conflict | null;
  saving: boolean;
  onClose: () => void;
  onKeepMine: (conflict: Conflict) => void;
  onTakeTheirs: () => void;
}) {
  const both = conflict?.theirs.filter((field) => conflict.mine.includes(field)) ?? [];
  return (
    <Dialog
      open={conflict !== null}
      onOpenChange={(open) => !open && onClose()}
      title="Someone changed this webhook meanwhile"
      description="Nothing of yours is lost. Choose what to do with it."
      footer={
        conflict ? (
          <div className="flex flex-wrap justify-end gap-3">
            <Button onClick={onTakeTheirs} disabled={saving}>
              Discard mine, show theirs
            </Button>
            <Button variant="primary" loading={saving} onClick={() => onKeepMine(conflict)}>
              {both.length > 0 ? 'Save mine over theirs' : 'Save mine as well'}
            </Button>
          </div>
        ) : null
      }
    >
      {conflict ? (
        <dl className="grid gap-4">
          <div>
            <dt className="font-medium">They changed</dt>
            <dd className="text-muted">
              {conflict.theirs.length > 0
                ? named(conflict.theirs)
                : 'Its state or its secret, such as by a pause; no setting.'}
            </dd>
          </div>
          <div>
            <dt className="font-medium">You changed</dt>
            <dd className="text-muted">{conflict.mine.length > 0 ? named(conflict.mine) : 'The credentials'}</dd>
          </div>
          {both.length > 0 ? (
            <div>
              <dt className="font-medium">Both of you</dt>
              <dd className="text-muted">{named(both)}: saving yours replaces what they set.</dd>
            </div>
          ) : null}
        </dl>
      ) : null}
    </Dialog>
  );
}
