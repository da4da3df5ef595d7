import Link from 'next/link';
import { Card } from '@/components/ui/data/card';
import { describeErrorClass, errorClasses, explainFailure } from '@/components/webhooks/failures';

export type FailureCount = { errorType: string; count: number };

/** Failed requests by error class, as a bar chart. Each links to the deliveries that failed this way. */
export function FailureList({ failures, hrefOf }: { failures: FailureCount[]; hrefOf: (errorType: string) => string }) {
  const max = Math.max(1, ...failures.map((failure) => failure.count));
  return (
    <Card title="Failures">
      {failures.length === 0 ? <p className="text-muted">No requests failed in this period.</p> : null}
      <ul className="grid gap-3">
        {failures.map(({ errorType, count }) => (
          <li key={errorType} className="grid gap-1">
            <div className="flex items-baseline justify-between gap-4">
              {errorClasses.includes(errorType) ? (
                <Link href={hrefOf(errorType)} scroll={false} className="font-medium hover:underline">
                  {describeErrorClass(errorType)}
                </Link>
              ) : (
                <span className="font-medium">{describeErrorClass(errorType)}</span>
              )}
              <span className="figure text-base">{count.toLocaleString('en')}</span>
            </div>
            <div aria-hidden className="h-1.5 overflow-hidden rounded-full bg-line">
              <div className="h-full rounded-full bg-danger" style={{ width: `${(count / max) * 100}%` }} />
            </div>
            <p className="text-xs text-muted">
              {explainFailure({ errorClass: errorType, responseStatus: null })?.cause}
            </p>
          </li>
        ))}
      </ul>
    </Card>
  );
}
