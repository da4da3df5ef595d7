import { CodeBlock } from '@/components/ui/code-block';
import { DateTime } from '@/components/ui/date-time';
import { ErrorNote } from '@/components/ui/error-state';
import { StatusBadge } from '@/components/ui/status-badge';
import { durationWords } from '@/components/webhooks/outcome';
import type { Outputs } from '@/trpc/outputs';

type Attempt = Outputs['webhooks']['deliveries']['read']['attempts'][number];

/** JSON laid out; anything else as it is. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function headerLines(headers: Record<string, unknown>): string {
  return Object.entries(headers)
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((each) => `${name}: ${String(each)}`))
    .join('\n');
}

function Facts({ attempt }: { attempt: Attempt }) {
  const facts = [
    { label: 'Sent', value: <DateTime value={attempt.startedAt} /> },
    { label: 'Took', value: durationWords(attempt.durationMs) },
    { label: 'Status code', value: attempt.responseStatus ?? '–' },
    { label: 'Receiver', value: attempt.peerAddress ?? '–' },
    { label: 'Attempt id', value: <code className="font-mono text-xs break-all">{attempt.id}</code> },
  ];
  return (
    <dl className="grid grid-cols-2 gap-x-8 gap-y-3 sm:grid-cols-3 lg:grid-cols-5">
      {facts.map((fact) => (
        <div key={fact.label} className="min-w-0">
          <dt className="label text-muted">{fact.label}</dt>
          <dd className="numerals mt-0.5">{fact.value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** One attempt: what was sent, what came back, how long it took and what went wrong. */
export function AttemptView({ attempt }: { attempt: Attempt }) {
  const answered = attempt.responseStatus !== null;
  return (
    <div className="grid grid-cols-1 gap-5">
      <div className="flex flex-wrap items-center gap-3">
        <h2 className="display text-lg">Attempt {attempt.number}</h2>
        <StatusBadge kind="attempt" status={attempt.outcome} />
      </div>
      {attempt.errorMessage ? (
        <ErrorNote message={attempt.errorMessage} reason={attempt.errorClass ?? undefined} />
      ) : null}
      <Facts attempt={attempt} />
      <div className="grid grid-cols-1 gap-5 xl:grid-cols-2">
        <div className="grid min-w-0 grid-cols-1 content-start gap-3">
          <h3 className="font-medium">What was sent</h3>
          <CodeBlock title="Body" samples={[{ label: 'JSON', code: pretty(attempt.requestBody) }]} />
          <CodeBlock title="Headers" wrap samples={[{ label: 'Headers', code: headerLines(attempt.requestHeaders) }]} />
        </div>
        <div className="grid min-w-0 grid-cols-1 content-start gap-3">
          <h3 className="font-medium">What came back</h3>
          {answered ? (
            <>
              {attempt.responseBody ? (
                <CodeBlock
                  title={attempt.responseTruncated ? 'Body, the first 16 KiB' : 'Body'}
                  wrap
                  samples={[{ label: 'Body', code: pretty(attempt.responseBody) }]}
                />
              ) : (
                <p className="text-muted">The answer had no body.</p>
              )}
              {attempt.responseHeaders ? (
                <CodeBlock
                  title="Headers"
                  wrap
                  samples={[{ label: 'Headers', code: headerLines(attempt.responseHeaders) }]}
                />
              ) : null}
            </>
          ) : (
            <p className="text-muted">{attempt.outcome === 'running' ? 'No answer yet.' : 'Nothing.'}</p>
          )}
        </div>
      </div>
    </div>
  );
}
