import { PencilLine } from 'lucide-react';
import { Card, Facts } from '@/components/ui/data/card';
import { ButtonLink } from '@/components/ui/form/button';
import { Copy } from '@/components/ui/text/copy';
import { DateTime, RelativeTime } from '@/components/ui/text/date-time';
import { describeRateLimits, formatDuration } from '@/components/webhooks/format';
import { authModeLabels } from '@/components/webhooks/labels';
import type { Subscription } from '@/components/webhooks/types';
import { counted } from '@/domain/text/counted';

function describeRetries({ maxRetries, retryBaseDelayMs, retryBackoffMultiplier }: Subscription): string {
  if (maxRetries === 0) return 'None';
  return `${maxRetries}, the first after ${formatDuration(retryBaseDelayMs)}, each delay × ${retryBackoffMultiplier}`;
}

function describeFilters({ filters }: Subscription): string {
  const parts = [
    filters?.aggregateTypes.length ? filters.aggregateTypes.join(', ') : null,
    filters?.tournamentIds.length ? counted(filters.tournamentIds.length, 'tournament') : null,
    filters?.userIds.length ? counted(filters.userIds.length, 'user') : null,
    filters?.conditions.length ? counted(filters.conditions.length, 'condition') : null,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(', ') : 'None';
}

function Mono({ children }: { children: string }) {
  return <span className="font-mono text-xs font-normal wrap-anywhere">{children}</span>;
}

/** The settings of a subscription, read-only, with a link to the form. */
export function SettingsPanel({ subscription, base }: { subscription: Subscription; base: string }) {
  const { id, events, authentication, signPayload, ipWhitelist, healthCheck, health } = subscription;
  return (
    <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
      <Card
        title="Requests"
        action={
          <ButtonLink size="sm" href={`${base}/${id}/edit`} icon={<PencilLine aria-hidden />}>
            Edit
          </ButtonLink>
        }
      >
        <Facts
          items={[
            { label: 'URL', value: <Mono>{subscription.url}</Mono> },
            { label: 'Events', value: <Mono>{events.includes('*') ? 'All events' : events.join(', ')}</Mono> },
            { label: 'Filters', value: describeFilters(subscription) },
            {
              label: 'Authentication',
              value: (
                <>
                  {authModeLabels[authentication.mode]}
                  {authentication.label ? <Mono>{` ${authentication.label}`}</Mono> : null}
                </>
              ),
            },
            { label: 'Signed', value: signPayload ? 'Yes' : 'No' },
            { label: 'Created', value: <DateTime value={subscription.createdAt} style="date" /> },
            { label: 'ID', value: <Copy value={id} label="Copy the webhook ID" /> },
          ]}
        />
      </Card>
      <Card title="Delivery policy">
        <Facts
          items={[
            { label: 'Time limit', value: formatDuration(subscription.timeoutMs) },
            { label: 'Retries', value: describeRetries(subscription) },
            {
              label: 'Circuit breaker',
              value: subscription.enableCircuitBreaker
                ? `Opens after ${counted(subscription.circuitBreakerThreshold, 'failure')} in a row, for ${formatDuration(subscription.circuitBreakerTimeoutMs)}`
                : 'Off',
            },
            { label: 'Rate limits', value: describeRateLimits(subscription.rateLimitConfig ?? {}) || 'None' },
            {
              label: 'Health check',
              value: healthCheck?.enabled ? (
                <>
                  {`Every ${formatDuration(healthCheck.intervalSeconds * 1_000)}`}
                  {health.status && health.checkedAt ? (
                    <span className="block font-normal text-muted">
                      {health.status}, <RelativeTime value={health.checkedAt} />
                      {health.detail ? `: ${health.detail}` : null}
                    </span>
                  ) : null}
                </>
              ) : (
                'Off'
              ),
            },
            {
              label: 'IP allowlist',
              value: ipWhitelist.length > 0 ? <Mono>{ipWhitelist.join(', ')}</Mono> : 'Any address',
            },
          ]}
        />
      </Card>
    </div>
  );
}
