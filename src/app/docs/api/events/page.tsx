import { ChevronDown } from 'lucide-react';
import type { Metadata } from 'next';
import Link from 'next/link';
import { InlineText } from '@/components/docs/inline-text';
import { SchemaFields } from '@/components/docs/schema-fields';
import { Badge } from '@/components/ui/data/badge';
import { PageHeader } from '@/components/ui/page/page-header';
import { CodeBlock } from '@/components/ui/text/code-block';
import { deliverySchema, type EventRow, eventTable } from '@/trpc/reference';

export const metadata: Metadata = { title: 'Webhook events' };

export default function EventsPage() {
  return (
    <>
      <PageHeader
        title="Webhook events"
        description={
          <>
            The events that you can subscribe to. To verify signatures and respond to deliveries, see{' '}
            <Link href="/docs/api/receiving" className="underline underline-offset-4 hover:text-ink">
              Receiving webhooks
            </Link>
            .
          </>
        }
      />
      <h2 className="display text-lg">Delivery body</h2>
      <SchemaFields schema={deliverySchema()} />
      <h2 className="display mt-10 text-lg">Event types</h2>
      <p className="mt-1 text-muted">
        Subscribe to single types, to a group such as <code className="font-mono text-xs">match.*</code>, or to all
        events with <code className="font-mono text-xs">*</code>. Types marked as planned are not sent yet; you can
        already subscribe to them.
      </p>
      {eventTable().map(({ group, title, events }) => (
        <section key={group} aria-labelledby={`group-${group}`}>
          <h3 id={`group-${group}`} className="mt-6 flex flex-wrap items-baseline gap-2 font-medium">
            {title} <code className="font-mono text-xs font-normal text-muted">{group}.*</code>
          </h3>
          <ul className="mt-2 divide-y rounded border bg-surface">
            {events.map((event) => (
              <EventEntry key={event.type} {...event} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

/** The names of the filters in a subscription's settings. */
const filterNames: Record<string, string> = {
  aggregateType: 'aggregateTypes',
  tournamentId: 'tournamentIds',
  userId: 'userIds',
  conditions: 'conditions',
};

function EventEntry({ type, description, planned, version, aggregateType, filters, payload, example }: EventRow) {
  return (
    <li id={type} className="scroll-mt-20 target:bg-accent-soft">
      <details className="group">
        <summary className="relative grid cursor-pointer gap-x-6 gap-y-0.5 py-2.5 pr-11 pl-4 marker:content-none hover:bg-hover sm:grid-cols-[17rem_minmax(0,1fr)]">
          <code className="font-mono text-xs leading-5 wrap-anywhere text-ink">{type}</code>
          <span className="text-muted">
            <InlineText>{description}</InlineText>
            {planned ? (
              <>
                {' '}
                <Badge>Planned: not sent yet</Badge>
              </>
            ) : null}
          </span>
          <ChevronDown aria-hidden className="absolute top-3 right-4 size-4 text-muted group-open:rotate-180" />
        </summary>
        <div className="grid gap-x-8 gap-y-4 px-4 pb-4 lg:grid-cols-2">
          <div className="min-w-0">
            <p className="text-muted">
              Subject: <code className="font-mono text-xs text-ink">{aggregateType}</code>.{' '}
              {filters.length > 0 ? (
                <>
                  Supported filters:{' '}
                  <code className="font-mono text-xs text-ink">
                    {filters.map((filter) => filterNames[filter] ?? filter).join(', ')}
                  </code>
                  .
                </>
              ) : (
                'Filters do not apply to this event.'
              )}
            </p>
            <SchemaFields schema={payload} />
          </div>
          <div className="min-w-0">
            <CodeBlock
              title={`data.payload, version ${version}`}
              samples={[{ label: 'JSON', code: JSON.stringify(example, null, 2) }]}
            />
          </div>
        </div>
      </details>
    </li>
  );
}
