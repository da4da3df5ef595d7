'use client';

import { EditConflictDialog } from '@/components/ui/overlay/edit-conflict-dialog';
import type { Settings } from '@/components/webhooks/form/values';

/** What a field is called where two people changed it. */
const fieldLabels: Record<keyof Settings, string> = {
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

/** Someone saved the same webhook meanwhile. */
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
  const mine = conflict?.mine.map((field) => fieldLabels[field]) ?? [];
  return (
    <EditConflictDialog
      open={conflict !== null}
      subject="webhook"
      theirs={conflict?.theirs.map((field) => ({ label: fieldLabels[field] })) ?? []}
      mine={mine.length > 0 ? mine : ['The credentials']}
      noneOfTheirs="Its state or its secret, such as by a pause; no setting."
      saving={saving}
      onClose={onClose}
      onKeepMine={() => conflict && onKeepMine(conflict)}
      onTakeTheirs={onTakeTheirs}
    />
  );
}
