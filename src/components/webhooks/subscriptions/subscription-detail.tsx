'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Card } from '@/components/ui/data/card';
import { Stat, StatRow } from '@/components/ui/data/stat';
import { StatusBadge } from '@/components/ui/data/status-badge';
import { Tabs } from '@/components/ui/navigation/tabs';
import { useQueryParams } from '@/components/ui/navigation/use-query-params';
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
import { formatRate } from '@/components/webhooks/format';
import { Performance } from '@/components/webhooks/subscriptions/performance';
import { SettingsPanel } from '@/components/webhooks/subscriptions/settings-panel';
import { SignaturePanel } from '@/components/webhooks/subscriptions/signing-secret';
import { SubscriptionActions } from '@/components/webhooks/subscriptions/subscription-actions';
import type { Subscription } from '@/components/webhooks/types';
import { counted } from '@/domain/text/counted';
import { serverNow } from '@/domain/time/server-clock';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';
import type { Outputs } from '@/trpc/outputs';

const refreshMs = 2_000;

type Insight = Outputs['webhooks']['insight'];

const breakerLabels = { closed: 'Closed', open: 'Open', half_open: 'Half open' };

/** The state of the circuit breaker, and when it sends its next probe. */
function BreakerStat({ subscription }: { subscription: Subscription }) {
  const { breaker, enableCircuitBreaker, circuitBreakerThreshold, status } = subscription;
  if (!enableCircuitBreaker)
    return <Stat label="Circuit breaker" value="Off" hint="Events are always sent right away" />;
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
            Next probe in <Countdown to={retryAt} label="Next probe" size="sm" thresholds={[]} ended="a moment" />
          </>
        ) : state === 'half_open' ? (
          'Sending a probe'
        ) : (
          failures
        )
      }
    />
  );
}

/** When the oldest waiting delivery was created. */
function oldestBacklogAt({ backlog: { oldestPendingAt, oldestHeldAt } }: Insight): string | null {
  return [oldestPendingAt, oldestHeldAt].filter((at) => at !== null).sort()[0] ?? null;
}

function Figures({ subscription, insight }: { subscription: Subscription; insight: Insight }) {
  const { last24h, backlog } = insight;
  const oldest = oldestBacklogAt(insight);
  const next = findNextAttempt(subscription, backlog);
  const failed = last24h.failed + last24h.expired;
  return (
    <StatRow>
      <Stat
        label="Delivered (24 h)"
        value={formatRate(last24h.successRate)}
        tone={failed > 0 ? 'danger' : undefined}
        hint={failed > 0 ? `${failed.toLocaleString('en')} not delivered` : counted(last24h.delivered, 'event')}
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

/** One webhook: its diagnosis, its key figures, and tabs for deliveries, performance, settings and signature. */
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
  const diagnosis = state
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
        description={data.description ? <Copy value={data.url} label="Copy URL" /> : null}
        actions={<SubscriptionActions subscription={data} base={base} />}
      />
      <ReplayDialog id={id} {...undelivered} open={replaying} onOpenChange={setReplaying} />
      <div className="grid grid-cols-1 gap-6">
        {error ? <ErrorNote message={error.message} reason={error.reason} requestId={error.requestId} /> : null}
        {diagnosis ? (
          <DiagnosisNotice
            diagnosis={diagnosis}
            actions={
              <SuggestedFixes
                subscription={data}
                fixes={diagnosis.suggestedFixes}
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
          label="Webhook"
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
