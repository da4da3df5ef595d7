'use client';

import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CirclePause, Plus } from 'lucide-react';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { Stat, StatRow } from '@/components/ui/data/stat';
import { type Column, Table } from '@/components/ui/data/table';
import { ButtonLink } from '@/components/ui/form/button';
import { Pagination } from '@/components/ui/navigation/pagination';
import { useShortcut } from '@/components/ui/navigation/use-shortcut';
import { EmptyState } from '@/components/ui/page/empty-state';
import { ErrorNote } from '@/components/ui/page/error-state';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { RelativeTime } from '@/components/ui/text/date-time';
import { Sparkline } from '@/components/webhooks/charts/sparkline';
import { ReplayDialog, undelivered } from '@/components/webhooks/deliveries/replay-dialog';
import {
  type Backlog,
  compareByUrgency,
  type Diagnosis,
  diagnose,
  needsAttention,
} from '@/components/webhooks/diagnosis/diagnosis';
import { DiagnosisLabel, DiagnosisNotice } from '@/components/webhooks/diagnosis/diagnosis-notice';
import { SuggestedFixes } from '@/components/webhooks/diagnosis/suggested-fixes';
import { formatRate } from '@/components/webhooks/format';
import { subscriptionsPerPage } from '@/components/webhooks/page-sizes';
import type { Subscription } from '@/components/webhooks/types';
import { counted } from '@/domain/text/counted';
import { serverNow } from '@/domain/time/server-clock';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';
import type { Outputs } from '@/trpc/outputs';

const refreshMs = 5_000;
/** Problems shown in full above the table. The others are at its top. */
const maxProblemsShown = 3;

type Health = Outputs['webhooks']['dashboard']['items'][number];
type Row = { subscription: Subscription; health: Health | undefined; diagnosis: Diagnosis };

const withoutScheme = (url: string) => url.replace(/^https?:\/\//, '');

function toBacklog(health: Health | undefined): Backlog {
  if (!health) return { pending: 0, held: 0, undelivered: 0, oldestAt: null };
  const { pending, held, deliveries, oldestAt } = health;
  return { pending, held, undelivered: deliveries.failed + deliveries.expired, oldestAt };
}

function toRows(subscriptions: Subscription[], healths: Health[], now: number): Row[] {
  const byId = new Map(healths.map((health) => [health.id, health]));
  return subscriptions
    .map((subscription) => {
      const health = byId.get(subscription.id);
      return { subscription, health, diagnosis: diagnose(subscription, toBacklog(health), now) };
    })
    .sort((a, b) => compareByUrgency(a.diagnosis, b.diagnosis));
}

function Name({ subscription, base }: { subscription: Subscription; base: string }) {
  const { id, url, description } = subscription;
  return (
    <Link href={`${base}/${id}`} title={url} className="block truncate text-ink hover:underline">
      {description ? <bdi className="font-medium">{description}</bdi> : null}{' '}
      <span className={description ? 'ml-1 font-mono text-xs text-muted' : 'font-mono'}>{withoutScheme(url)}</span>
    </Link>
  );
}

function subscriptionColumns(base: string): Column<Row>[] {
  return [
    {
      key: 'url',
      header: 'Webhook',
      phone: 'title',
      className: 'w-1/3 max-w-80',
      cell: ({ subscription }) => <Name subscription={subscription} base={base} />,
    },
    {
      key: 'diagnosis',
      header: 'Status',
      phone: 'line',
      cell: ({ diagnosis }) => <DiagnosisLabel diagnosis={diagnosis} />,
    },
    {
      key: 'success',
      header: 'Delivered (24 h)',
      phoneLabel: 'Delivered',
      cell: ({ health }) => (
        <span className="inline-flex items-center gap-3">
          <span className="max-sm:hidden">
            {health ? (
              <Sparkline
                buckets={health.timeline}
                label={`Last 24 hours: ${health.deliveries.delivered} delivered, ${health.deliveries.failed + health.deliveries.expired} not`}
              />
            ) : null}
          </span>
          <span className="numerals">{formatRate(health?.deliveries.successRate ?? null)}</span>
        </span>
      ),
    },
    {
      key: 'backlog',
      header: 'Waiting',
      align: 'end',
      phoneLabel: 'Waiting',
      cell: ({ health }) => {
        const count = health ? health.pending + health.held : 0;
        return (
          <span className="numerals whitespace-nowrap">
            {count.toLocaleString('en')}
            {count > 0 && health?.oldestAt ? (
              <span className="text-muted">
                {' · '}
                oldest <RelativeTime value={health.oldestAt} />
              </span>
            ) : null}
          </span>
        );
      },
    },
    {
      key: 'last',
      header: 'Last delivered',
      align: 'end',
      phoneLabel: 'Last delivered',
      cell: ({ subscription }) =>
        subscription.lastDeliveredAt ? (
          <RelativeTime value={subscription.lastDeliveredAt} className="whitespace-nowrap text-muted" />
        ) : (
          <span className="text-muted">Never</span>
        ),
    },
  ];
}

function Totals({ totals }: { totals: Outputs['webhooks']['dashboard']['totals'] }) {
  const { deliveries, pending, held, active, paused, disabled, breakersOpen } = totals;
  const failed = deliveries.failed + deliveries.expired;
  const states = [
    paused > 0 ? `${paused} paused` : null,
    disabled > 0 ? `${disabled} disabled` : null,
    breakersOpen > 0 ? counted(breakersOpen, 'open circuit breaker') : null,
  ].filter(Boolean);
  return (
    <StatRow>
      <Stat
        label="Delivered (24 h)"
        value={formatRate(deliveries.successRate)}
        hint={counted(deliveries.delivered, 'event')}
      />
      <Stat
        label="Not delivered (24 h)"
        value={failed.toLocaleString('en')}
        tone={failed > 0 ? 'danger' : undefined}
        hint={failed > 0 ? 'Out of retries, or older than 24 hours' : 'Nothing was lost'}
      />
      <Stat
        label="Waiting"
        value={(pending + held).toLocaleString('en')}
        hint={held > 0 ? `Including ${held.toLocaleString('en')} held` : 'For their next attempt'}
      />
      <Stat label="Active webhooks" value={active} hint={states.length > 0 ? states.join(', ') : 'All of them'} />
    </StatRow>
  );
}

/** Which webhooks fail, why, and what to do about it; a single line when none does. */
function Problems({ rows, base, onReplay }: { rows: Row[]; base: string; onReplay: (id: string) => void }) {
  const problems = rows.filter(({ diagnosis }) => needsAttention(diagnosis.kind));
  if (problems.length === 0) {
    const active = rows.some(({ subscription }) => subscription.status === 'active');
    const sent = rows.some(({ subscription }) => subscription.lastDelivery !== null);
    if (!active) {
      return (
        <p className="flex items-center gap-2 text-base">
          <CirclePause aria-hidden className="size-5 shrink-0 text-muted" />
          All webhooks are paused. Events are kept for 24 hours and sent when you resume.
        </p>
      );
    }
    return (
      <p className="flex items-center gap-2 text-base">
        <CircleCheck aria-hidden className="size-5 shrink-0 text-accent" />
        {sent ? 'All active webhooks are working.' : 'No events have been sent yet.'}
      </p>
    );
  }
  return (
    <section aria-labelledby="problems" className="grid grid-cols-1 gap-3">
      <h2 id="problems" className="display text-lg">
        {counted(problems.length, 'webhook needs', 'webhooks need')} attention
      </h2>
      {problems.slice(0, maxProblemsShown).map(({ subscription, diagnosis }) => (
        <DiagnosisNotice
          key={subscription.id}
          diagnosis={diagnosis}
          about={<Name subscription={subscription} base={base} />}
          actions={
            <SuggestedFixes
              subscription={subscription}
              fixes={diagnosis.suggestedFixes}
              base={base}
              onReplay={() => onReplay(subscription.id)}
            />
          }
        />
      ))}
      {problems.length > maxProblemsShown ? (
        <p className="text-muted">The others are at the top of the list below.</p>
      ) : null}
    </section>
  );
}

/** The project's webhooks, problems first. Refreshes while the page is visible. */
export function SubscriptionList({ projectId, base }: { projectId: string; base: string }) {
  const trpc = useTRPC();
  const [page, setPage] = useState(1);
  const [replay, setReplay] = useState({ id: '', open: false });
  const router = useRouter();
  useShortcut('n', 'New webhook', () => router.push(`${base}/new`));
  const input = { projectId, page, limit: subscriptionsPerPage };
  const list = useQuery(trpc.webhooks.subscriptions.listOfProject.queryOptions(input, { refetchInterval: refreshMs }));
  const overview = useQuery(trpc.webhooks.dashboard.queryOptions(input, { refetchInterval: refreshMs }));
  const failure = list.error ?? overview.error;
  const error = failure ? readError(failure) : null;
  const rows = list.data ? toRows(list.data.items, overview.data?.items ?? [], serverNow()) : [];
  const create = (
    <ButtonLink variant="primary" href={`${base}/new`} icon={<Plus aria-hidden />}>
      New webhook
    </ButtonLink>
  );
  return (
    <div className="grid grid-cols-1 gap-6">
      {error ? <ErrorNote message={error.message} reason={error.reason} requestId={error.requestId} /> : null}
      <ReplayDialog
        id={replay.id}
        {...undelivered}
        open={replay.open}
        onOpenChange={(open) => setReplay({ ...replay, open })}
      />
      {list.isPending ? <SkeletonTable rows={3} label="Loading webhooks" /> : null}
      {rows.length > 0 ? (
        <>
          <Problems rows={rows} base={base} onReplay={(id) => setReplay({ id, open: true })} />
          {overview.data ? <Totals totals={overview.data.totals} /> : null}
        </>
      ) : null}
      {list.data ? (
        <div className="grid grid-cols-1 gap-4">
          {list.data.total > 0 ? (
            <div className="flex items-center justify-between gap-4">
              <h2 className="display text-lg">All webhooks</h2>
              {create}
            </div>
          ) : null}
          <Table
            rows={rows}
            columns={subscriptionColumns(base)}
            rowKey={({ subscription }) => subscription.id}
            caption="Webhooks"
            className="relative"
            empty={
              <EmptyState title="No webhooks yet" action={create}>
                A webhook sends events in this project to your server as they happen: a registration, a check-in, a
                result. Requests are signed, and retried when your server does not respond. All you need is a URL that
                accepts POST requests. This page then shows every delivery.
              </EmptyState>
            }
          />
          <Pagination
            page={page}
            limit={subscriptionsPerPage}
            total={list.data.total}
            onPage={setPage}
            noun="webhooks"
          />
        </div>
      ) : null}
    </div>
  );
}
