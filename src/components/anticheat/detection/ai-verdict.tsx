import { Bot } from 'lucide-react';
import type { Detection } from '@/components/anticheat/types';
import { statusLabel } from '@/components/ui/data/status-badge';
import { RelativeTime } from '@/components/ui/text/date-time';

/** Why there is no AI verdict although the provider was asked. */
const failures: Record<NonNullable<Detection['aiVerdictFailure']>, string> = {
  unreachable: 'The provider could not be reached.',
  rejected: 'The provider refused the request.',
  invalid_answer: 'The provider sent an answer that is no verdict.',
  turned_off: 'The provider was turned off.',
  too_many: 'The provider was not asked, because too many detections of the project were waiting.',
};

/** What the verdict provider of the instance said, or truthfully that it said nothing. */
export function AiVerdict({ detection }: { detection: Detection }) {
  const { aiVerdict, aiVerdictPending, aiVerdictFailure } = detection;
  return (
    <p className="flex gap-2 text-muted">
      <Bot aria-hidden className="mt-0.5 size-4 shrink-0" />
      {aiVerdict ? (
        <span className="wrap-anywhere">
          AI verdict:{' '}
          <strong className="font-medium text-ink">
            {statusLabel('review', aiVerdict.verdict).toLowerCase()}, {Math.round(aiVerdict.confidence * 100)}%
            confident
          </strong>{' '}
          · <bdi>{aiVerdict.model}</bdi> · <RelativeTime value={aiVerdict.at} />
        </span>
      ) : (
        <span>
          No AI verdict was recorded{aiVerdictPending ? ' yet' : ''}.{' '}
          {aiVerdictFailure ? failures[aiVerdictFailure] : null}
        </span>
      )}
    </p>
  );
}
