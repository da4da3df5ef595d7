import type { Metadata } from 'next';
import { PageHeader } from '@/components/ui/page/page-header';
import { CodeBlock } from '@/components/ui/text/code-block';
import { reasonTable } from '@/trpc/reference';

export const metadata: Metadata = { title: 'Error codes' };

const example = {
  success: false,
  data: null,
  message: 'Every slot of the tournament is taken.',
  error: {
    code: 'ROSTER_FULL',
    message: 'Every slot of the tournament is taken.',
    requestId: 'req_01k9zq3v4e8m6t2r5x7c1b0a9d',
  },
};

export default function ErrorsPage() {
  const rows = reasonTable();
  const statuses = [...new Set(rows.map(({ status }) => status))];
  return (
    <>
      <PageHeader
        title="Error codes"
        description="All errors have the same body. Rely on error.code in your code: it never changes, while the message may. Include the request ID when you ask for help."
      />
      <CodeBlock title="Example error" samples={[{ label: 'JSON', code: JSON.stringify(example, null, 2) }]} />
      {statuses.map((status) => (
        <section key={status} className="mt-8">
          <h2 className="figure text-xl">{status}</h2>
          <dl className="mt-2 divide-y rounded border bg-surface">
            {rows
              .filter((row) => row.status === status)
              .map(({ code, message }) => (
                <div
                  key={code}
                  id={code}
                  className="grid scroll-mt-20 gap-x-6 gap-y-0.5 px-4 py-2.5 target:bg-accent-soft sm:grid-cols-[17rem_minmax(0,1fr)]"
                >
                  <dt className="font-mono text-xs leading-5 wrap-anywhere">{code}</dt>
                  <dd className="text-muted">{message}</dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
    </>
  );
}
