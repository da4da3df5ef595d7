'use client';

import { Lightbulb } from 'lucide-react';
import { useState } from 'react';
import { StatusBadge } from '@/components/ui/data/status-badge';
import { CodeBlock } from '@/components/ui/text/code-block';
import { Copy, CopyButton } from '@/components/ui/text/copy';
import { DateTime } from '@/components/ui/text/date-time';
import { toCurl } from '@/components/webhooks/deliveries/curl';
import { formatJson } from '@/components/webhooks/deliveries/format-json';
import { TimingsBar } from '@/components/webhooks/deliveries/timings-bar';
import { explainFailure } from '@/components/webhooks/failures';
import { formatDuration } from '@/components/webhooks/format';
import type { Attempt } from '@/components/webhooks/types';

function Body({ title, text }: { title: string; text: string }) {
  const formatted = formatJson(text);
  const raw = { label: 'Raw', code: text };
  return (
    <CodeBlock
      title={title}
      wrap
      samples={formatted === null ? [raw] : [{ label: 'Formatted', code: formatted }, raw]}
    />
  );
}

function headerLines(headers: Record<string, unknown>): string {
  return Object.entries(headers)
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((each) => `${name}: ${String(each)}`))
    .join('\n');
}

const triggerLabels = {
  first: 'First attempt',
  retry: 'Automatic retry',
  replay: 'Resent manually',
  probe: 'Circuit breaker probe',
};

function Facts({ attempt }: { attempt: Attempt }) {
  const facts = [
    { label: 'Sent', value: <DateTime value={attempt.startedAt} /> },
    { label: 'Duration', value: formatDuration(attempt.durationMs) },
    { label: 'Status code', value: attempt.responseStatus ?? '–' },
    { label: 'Server address', value: attempt.peerAddress ?? '–' },
    { label: 'Trigger', value: triggerLabels[attempt.trigger] },
    { label: 'Attempt ID', value: <Copy value={attempt.id} label="Copy the attempt ID" /> },
  ];
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-3">
      {facts.map((fact) => (
        <div key={fact.label} className="min-w-0">
          <dt className="label text-muted">{fact.label}</dt>
          <dd className="numerals mt-0.5">{fact.value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The error as it was recorded, then its usual cause and how to fix it. */
function Failure({ attempt }: { attempt: Attempt }) {
  const explanation = explainFailure(attempt);
  if (!explanation && !attempt.errorMessage) return null;
  return (
    <div className="grid gap-2 rounded border border-danger bg-danger-soft p-4">
      <p className="flex flex-wrap items-baseline gap-x-3">
        <strong className="font-medium text-ink">{explanation?.title ?? 'Result unknown'}</strong>
        {attempt.errorClass ? <code className="font-mono text-xs text-muted">{attempt.errorClass}</code> : null}
      </p>
      {attempt.errorMessage ? <p className="wrap-anywhere text-ink">{attempt.errorMessage}</p> : null}
      {explanation ? (
        <>
          <p className="text-muted">{explanation.cause}</p>
          <p className="flex gap-2">
            <Lightbulb aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
            {explanation.fix}
          </p>
        </>
      ) : (
        <p className="text-muted">The request may have arrived. It is sent again to be safe.</p>
      )}
    </div>
  );
}

function ResponseContent({ attempt }: { attempt: Attempt }) {
  if (attempt.responseStatus === null) {
    return <p className="text-muted">{attempt.outcome === 'running' ? 'No response yet.' : 'No response.'}</p>;
  }
  return (
    <>
      {attempt.responseBody ? (
        <Body title="Body" text={attempt.responseBody} />
      ) : (
        <p className="text-muted">The response has no body.</p>
      )}
      {attempt.responseTruncated ? (
        <p className="text-muted">The body is longer. Only its beginning was stored.</p>
      ) : null}
      {attempt.responseHeaders ? (
        <CodeBlock title="Headers" wrap samples={[{ label: 'Headers', code: headerLines(attempt.responseHeaders) }]} />
      ) : null}
    </>
  );
}

/** One attempt: what went wrong, how long each phase took, the response and the request. */
export function AttemptDetail({ attempt, url }: { attempt: Attempt; url: string }) {
  const [shown, setShown] = useState(false);
  const command = toCurl({ url, headers: attempt.requestHeaders, body: attempt.requestBody });
  return (
    <article className="grid min-w-0 grid-cols-1 content-start gap-5" aria-label={`Attempt ${attempt.number}`}>
      <div className="flex flex-wrap items-center gap-3">
        <h2 className="display text-lg">Attempt {attempt.number}</h2>
        <StatusBadge kind="attempt" status={attempt.outcome} />
      </div>
      {attempt.outcome === 'failed' || attempt.outcome === 'unknown' ? <Failure attempt={attempt} /> : null}
      <Facts attempt={attempt} />
      {attempt.timings ? <TimingsBar timings={attempt.timings} errorClass={attempt.errorClass} /> : null}
      <div className="grid grid-cols-1 gap-5 2xl:grid-cols-2">
        <section className="grid min-w-0 grid-cols-1 content-start gap-3">
          <h3 className="flex min-h-7 items-center font-medium">Response</h3>
          <ResponseContent attempt={attempt} />
        </section>
        <section className="grid min-w-0 grid-cols-1 content-start gap-3">
          <div className="flex items-center justify-between gap-3">
            <h3 className="font-medium">Request</h3>
            <span className="flex items-center gap-1 text-muted">
              <button
                type="button"
                aria-expanded={shown}
                onClick={() => setShown(!shown)}
                className="text-sm underline underline-offset-4 hover:text-ink"
              >
                Show as curl
              </button>
              <CopyButton value={command} label="Copy as curl" />
            </span>
          </div>
          {shown ? <CodeBlock title="curl" wrap samples={[{ label: 'curl', code: command }]} /> : null}
          <Body title="Body" text={attempt.requestBody} />
          <CodeBlock title="Headers" wrap samples={[{ label: 'Headers', code: headerLines(attempt.requestHeaders) }]} />
        </section>
      </div>
    </article>
  );
}
