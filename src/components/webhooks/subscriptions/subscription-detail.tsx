'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Card } from '@/components/ui/data/card';
import { Stat, StatRow } from '@/components/ui/data/stat';
import { StatusBadge } from '@/components/ui/data/status-badge';
import { Tabs } from '@/components/ui/navigation/tabs';
import { ErrorNote } from '@/components/ui/page/error-state';
import { PageHeader } from '@/components/ui/page/page-header';
import { SkeletonText } from '@/components/ui/page/skeleton';
import { Copy } from '@/components/ui/text/copy';
import { Countdown } from '@/components/ui/text/countdown';
import { RelativeTime } from '@/components/ui/text/date-time';
import { DeliveryList } from '@/components/webhooks/deliveries/delivery-list';
import { ReplayDialog, ReplayProgress, undelivered } from '@/components/webhooks/deliveries/replay-dialog';
import { diagnose, findNextAttempt } from '@/components/webhooks/diagnosis/diagnosis';
import { DiagnosisNotice } from '@/components/webhooks/diagnosis/diagnosis-notice';
import { SuggestedFixes } from '@/components/webhooks/diagnosis/suggested-fixes';
import { formatRate } from '@/components/webhooks/failures';
import { Performance } from '@/components/webhooks/subscriptions/performance';
import { SettingsPanel } from '@/components/webhooks/subscriptions/settings-panel';
import { SignaturePanel } from '@/components/webhooks/subscriptions/signing-secret';
import { SubscriptionActions } from '@/components/webhooks/subscriptions/subscription-actions';
import type { Subscription } from '@/components/webhooks/types';
import { useQueryParams } from '@/components/webhooks/use-query-params';
import { serverNow } from '@/domain/time/server-clock';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';
import type { Outputs } from '@/trpc/outputs';

const refreshMs = 2_000;

type Insight = Outputs['webhooks']['insight'];

const breakerLabels = { closed: 'Closed', open: 'Open', half_open: 'Half open' };

/** What the breaker does now, and what it waits for. */
function BreakerStat({ subscription }: { subscription: Subscription }) {
  const { breaker, enableCircuitBreaker, circuitBreakerThreshold, status } = subscription;
  if (!enableCircuitBreaker) return <Stat label="Circuit breaker" value="Off" hint="Every event is tried at once" />;
  const { state, consecutiveFailures, retryAt } = breaker;
  const failures = `${consecutiveFailures} of ${circuitBreakerThreshold} failures in a row`;
  return (
    <Stat
      label="Circuit breaker"
      value={breakerLabels[state]}
      tone={state === 'closed' ? undefined : 'danger'}
      hint={
        state === 'open' && retryAt && status === 'active' ? (
          <>
            Probe in <Countdown to={retryAt} label="Probe" size="sm" thresholds={[]} ended="a moment" />
          </>
        ) : state === 'half_open' ? (
          'A probe is on its way'
        ) : (
          failures
        )
      }
    />
  );
}

/** When the oldest delivery that waits was made. */
function oldestBacklogAt({ backlog: { oldestPendingAt, oldestHeldAt } }: Insight): string | null {
  return [oldestPendingAt, oldestHeldAt].filter((at) => at !== null).sort()[0] ?? null;
}

function Figures({ subscription, insight }: { subscription: Subscription; insight: Insight }) {
  const { last24h, backlog } = insight;
  const oldest = oldestBacklogAt(insight);
  const next = findNextAttempt(subscription, backlog);
  const missed = last24h.failed + last24h.expired;
  return (
    <StatRow>
      <Stat
        label="Delivered, 24 h"
        value={formatRate(last24h.successRate)}
        tone={missed > 0 ? 'danger' : undefined}
        hint={
          missed > 0
            ? `${missed.toLocaleString('en')} never arrived`
            : `${last24h.delivered.toLocaleString('en')} events`
        }
      />
      <Stat
        label="Waiting"
        value={(backlog.pending + backlog.held).toLocaleString('en')}
        hint={
          <>
            {backlog.held > 0 ? `${backlog.held.toLocaleString('en')} held. ` : null}
            {oldest ? (
              <>
                Oldest: <RelativeTime value={oldest} />
              </>
            ) : backlog.held === 0 ? (
              'Nothing is overdue'
            ) : null}
          </>
        }
      />
      <Stat
        label="Next attempt"
        value={
          next.at ? (
            <Countdown to={next.at} label="Next attempt" thresholds={[]} ended="Now" className="text-3xl" />
          ) : (
            '–'
          )
        }
        hint={next.hint}
      />
      <BreakerStat subscription={subscription} />
    </StatRow>
  );
}

const tabs = ['deliveries', 'performance', 'settings', 'signature'];

/** One receiver: whether it gets its events, why not, and all that was sent to it. */
export function SubscriptionDetail({ id, base }: { id: string; base: string }) {
  const trpc = useTRPC();
  const [params, setParams] = useQueryParams();
  const [replaying, setReplaying] = useState(false);
  const query = useQuery(trpc.webhooks.subscriptions.read.queryOptions({ id }, { refetchInterval: refreshMs }));
  const insight = useQuery(trpc.webhooks.insight.queryOptions({ id }, { refetchInterval: refreshMs }));
  const error = query.error ? readError(query.error) : null;
  const { data } = query;
  if (!data) {
    return (
      <>
        <PageHeader back={{ href: base, label: 'Webhooks' }} title="Webhook" />
        {error ? (
          <ErrorNote message={error.message} reason={error.reason} requestId={error.requestId} />
        ) : (
          <SkeletonText lines={6} />
        )}
      </>
    );
  }
  const now = serverNow();
  const state = insight.data;
  const verdict = state
    ? diagnose(
        data,
        {
          pending: state.backlog.pending,
          held: state.backlog.held,
          undelivered: state.last24h.failed + state.last24h.expired,
          oldestAt: oldestBacklogAt(state),
        },
        now,
      )
    : null;
  const tab = tabs.find((each) => each === params.get('tab')) ?? 'deliveries';
  return (
    <>
      <PageHeader
        back={{ href: base, label: 'Webhooks' }}
        title={data.description || <span className="text-xl sm:text-2xl">{data.url}</span>}
        badges={<StatusBadge kind="subscription" status={data.status} />}
        description={data.description ? <Copy value={data.url} label="Copy the URL" /> : null}
        actions={<SubscriptionActions subscription={data} base={base} />}
      />
      <ReplayDialog id={id} {...undelivered} open={replaying} onOpenChange={setReplaying} />
      <div className="grid grid-cols-1 gap-6">
        {error ? <ErrorNote message={error.message} reason={error.reason} requestId={error.requestId} /> : null}
        {verdict ? (
          <DiagnosisNotice
            verdict={verdict}
            actions={
              <SuggestedFixes
                subscription={data}
                remedies={verdict.suggestedFixes}
                base={base}
                onReplay={() => setReplaying(true)}
              />
            }
          />
        ) : null}
        {state ? <Figures subscription={data} insight={state} /> : null}
        {state?.replay && !state.replay.finishedAt ? (
          <Card>
            <ReplayProgress id={id} replayId={state.replay.id} />
          </Card>
        ) : null}
        <Tabs
          label="Parts of the webhook"
          value={tab}
          onValueChange={(value) => setParams({ tab: value === 'deliveries' ? null : value })}
          items={[
            { value: 'deliveries', label: 'Deliveries', content: <DeliveryList id={id} base={`${base}/${id}`} /> },
            { value: 'performance', label: 'Performance', content: <Performance id={id} /> },
            { value: 'settings', label: 'Settings', content: <SettingsPanel subscription={data} base={base} /> },
            { value: 'signature', label: 'Signature', content: <SignaturePanel subscription={data} /> },
          ]}
        />
      </div>
    </>
  );
}
