'use client';

import { EditConflictDialog } from '@/components/ui/overlay/edit-conflict-dialog';
import type { Settings } from '@/components/webhooks/form/values';

/** The names of settings in the conflict dialog. */
const fieldLabels: Record<keyof Settings, string> = {
  url: 'URL',
  description: 'Description',
  events: 'Event types',
  signPayload: 'Signature',
  timeoutMs: 'Time limit',
  maxRetries: 'Retries',
  retryBaseDelayMs: 'First delay',
  retryBackoffMultiplier: 'Delay multiplier',
  enableCircuitBreaker: 'Circuit breaker',
  circuitBreakerThreshold: 'Circuit breaker threshold',
  circuitBreakerTimeoutMs: 'Circuit breaker timeout',
  rateLimitConfig: 'Rate limits',
  ipWhitelist: 'IP allowlist',
  filters: 'Filters',
  healthCheck: 'Health check',
};

export type Conflict = {
  /** Settings that someone else changed since this form was loaded. */
  theirs: (keyof Settings)[];
  /** Settings that this form changes. */
  mine: (keyof Settings)[];
  version: number;
};

/** Shown when someone else saved the same webhook in the meantime. */
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
      mine={mine.length > 0 ? mine : ['Credentials']}
      noneOfTheirs="No settings, only its status or signing secret."
      saving={saving}
      onClose={onClose}
      onKeepMine={() => conflict && onKeepMine(conflict)}
      onTakeTheirs={onTakeTheirs}
    />
  );
}
