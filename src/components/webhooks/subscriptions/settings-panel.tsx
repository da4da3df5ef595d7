import { PencilLine } from 'lucide-react';
import { Card, Facts } from '@/components/ui/data/card';
import { ButtonLink } from '@/components/ui/form/button';
import { Copy } from '@/components/ui/text/copy';
import { DateTime, RelativeTime } from '@/components/ui/text/date-time';
import { formatDuration } from '@/components/webhooks/failures';
import type { Subscription } from '@/components/webhooks/types';
import { counted } from '@/domain/text/counted';

const modes: Record<Subscription['authentication']['mode'], string> = {
  hmac_signature: 'signature',
  bearer_token: 'bearer token',
  basic_auth: 'user name and password',
  custom_header: 'header of your own',
  none: 'none',
};

function retries({ maxRetries, retryBaseDelayMs, retryBackoffMultiplier }: Subscription): string {
  if (maxRetries === 0) return 'none';
  return `${maxRetries}, first after ${formatDuration(retryBaseDelayMs)}, then × ${retryBackoffMultiplier}`;
}

function filters({ filters: set }: Subscription): string {
  const parts = [
    set?.aggregateTypes.length ? `about ${set.aggregateTypes.join(', ')}` : null,
    set?.tournamentIds.length ? counted(set.tournamentIds.length, 'tournament') : null,
    set?.userIds.length ? counted(set.userIds.length, 'user') : null,
    set?.conditions.length ? counted(set.conditions.length, 'condition') : null,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(', ') : 'none';
}

function caps({ rateLimitConfig: set }: Subscription): string {
  const parts = [
    set?.perMinute ? `${set.perMinute} a minute` : null,
    set?.perHour ? `${set.perHour} an hour` : null,
    set?.perDay ? `${set.perDay} a day` : null,
    set?.burst ? `${set.burst} a second` : null,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(', ') : 'none';
}

function Mono({ children }: { children: string }) {
  return <span className="font-mono text-xs font-normal wrap-anywhere">{children}</span>;
}

/** How a subscription is set, to read; a link leads to where it is changed. */
export function SettingsPanel({ subscription, base }: { subscription: Subscription; base: string }) {
  const { id, events, authentication, signPayload, ipWhitelist, healthCheck, health } = subscription;
  return (
    <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
      <Card
        title="What is sent, and how"
        action={
          <ButtonLink size="sm" href={`${base}/${id}/edit`} icon={<PencilLine aria-hidden />}>
            Change
          </ButtonLink>
        }
      >
        <Facts
          items={[
            { label: 'URL', value: <Mono>{subscription.url}</Mono> },
            { label: 'Events', value: <Mono>{events.includes('*') ? 'everything' : events.join(', ')}</Mono> },
            { label: 'Filters', value: filters(subscription) },
            {
              label: 'Authentication',
              value: (
                <>
                  {modes[authentication.mode]}
                  {authentication.label ? <Mono>{` ${authentication.label}`}</Mono> : null}
                </>
              ),
            },
            { label: 'Requests are', value: signPayload ? 'signed' : 'not signed' },
            { label: 'Made', value: <DateTime value={subscription.createdAt} style="date" /> },
            { label: 'Id', value: <Copy value={id} label="Copy the webhook's id" /> },
          ]}
        />
      </Card>
      <Card title="What happens when it fails">
        <Facts
          items={[
            { label: 'Time limit', value: formatDuration(subscription.timeoutMs) },
            { label: 'Retries', value: retries(subscription) },
            {
              label: 'Circuit breaker',
              value: subscription.enableCircuitBreaker
                ? `after ${counted(subscription.circuitBreakerThreshold, 'failure')}, for ${formatDuration(subscription.circuitBreakerTimeoutMs)}`
                : 'off',
            },
            { label: 'Rate caps', value: caps(subscription) },
            {
              label: 'Health check',
              value: healthCheck?.enabled ? (
                <>
                  {`every ${formatDuration(healthCheck.intervalSeconds * 1_000)}`}
                  {health.status && health.checkedAt ? (
                    <span className="block font-normal text-muted">
                      {health.status}, <RelativeTime value={health.checkedAt} />
                      {health.detail ? `: ${health.detail}` : null}
                    </span>
                  ) : null}
                </>
              ) : (
                'off'
              ),
            },
            {
              label: 'Managed from',
              value: ipWhitelist.length > 0 ? <Mono>{ipWhitelist.join(', ')}</Mono> : 'anywhere',
            },
          ]}
        />
      </Card>
    </div>
  );
}
