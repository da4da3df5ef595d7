'use client';

import { useQuery } from '@tanstack/react-query';
import { DetectionFacts } from '@/components/anticheat/detection/detection-facts';
import { StatusBadge } from '@/components/ui/data/status-badge';
import { QueryError } from '@/components/ui/page/query-error';
import { Skeleton, SkeletonText } from '@/components/ui/page/skeleton';
import { ruleOf } from '@/domain/anticheat/reviews';
import { rules } from '@/domain/anticheat/rules';
import { useTRPC } from '@/trpc/client';

/** One detection: what was found, what it stands on, and the review. `base` is the path of the anti-cheat pages. */
export function DetectionView({
  projectId,
  detectionId,
  base,
  heading: Heading = 'h2',
}: {
  projectId: string;
  detectionId: string;
  base: string;
  heading?: 'h1' | 'h2';
}) {
  const trpc = useTRPC();
  const query = useQuery(trpc.antiCheat.review.detection.queryOptions({ projectId, detectionId }));
  if (!query.data) {
    if (query.isError) return <QueryError title="The detection could not be loaded" query={query} />;
    return (
      <div role="status" aria-label="Loading the detection" className="grid grid-cols-1 gap-5">
        <Skeleton className="h-8 w-64" />
        <SkeletonText lines={4} />
      </div>
    );
  }
  const detection = query.data;
  const { key } = ruleOf(detection.ruleId);
  return (
    <article aria-labelledby={`detection-${detectionId}`} className="grid min-w-0 grid-cols-1 content-start gap-5">
      <header className="grid grid-cols-1 gap-2">
        <div className="flex flex-wrap items-center gap-2">
          <StatusBadge kind="severity" status={detection.severity} />
          <StatusBadge kind="review" status={detection.verdict ?? 'unreviewed'} />
        </div>
        <Heading id={`detection-${detectionId}`} className="display text-2xl">
          {detection.rule}
        </Heading>
        <p className="wrap-anywhere">{detection.explanation}</p>
        {key ? <p className="max-w-prose text-muted">{rules[key].description}</p> : null}
      </header>
      <DetectionFacts detection={detection} base={base} />
    </article>
  );
}
