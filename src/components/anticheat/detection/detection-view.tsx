'use client';

import { useQuery } from '@tanstack/react-query';
import { AiVerdict } from '@/components/anticheat/detection/ai-verdict';
import { DetectionFacts } from '@/components/anticheat/detection/detection-facts';
import { Disqualify } from '@/components/anticheat/detection/disqualify';
import { ReportsChart } from '@/components/anticheat/detection/reports-chart';
import { ReviewForm, ReviewText } from '@/components/anticheat/detection/review-form';
import { EvidenceList } from '@/components/anticheat/evidence/evidence-list';
import type { Reviews } from '@/components/anticheat/use-reviews';
import { StatusBadge } from '@/components/ui/data/status-badge';
import { QueryError } from '@/components/ui/page/query-error';
import { Skeleton, SkeletonText } from '@/components/ui/page/skeleton';
import { ruleOf, type Verdict } from '@/domain/anticheat/reviews';
import { rules } from '@/domain/anticheat/rules';
import { can } from '@/domain/projects/permissions';
import type { ProjectRole } from '@/domain/projects/roles';
import { useTRPC } from '@/trpc/client';

/** The project as the viewer works in it; `path` is that of its dashboard. */
export type ReviewedProject = { id: string; path: string; role: ProjectRole };

/** One detection: what was found, what it stands on, its evidence and its review. */
export function DetectionView({
  project,
  detectionId,
  reviews,
  onDecide,
  heading: Heading = 'h2',
}: {
  project: ReviewedProject;
  detectionId: string;
  reviews: Reviews;
  onDecide?: (verdict: Verdict) => void;
  heading?: 'h1' | 'h2';
}) {
  const trpc = useTRPC();
  const { id: projectId, path, role } = project;
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
  const titleId = `detection-${detectionId}`;
  return (
    <article aria-labelledby={titleId} className="grid min-w-0 grid-cols-1 content-start gap-5">
      <header className="grid grid-cols-1 gap-2">
        <div className="flex flex-wrap items-center gap-2">
          <StatusBadge kind="severity" status={detection.severity} />
          <StatusBadge kind="review" status={detection.verdict ?? 'unreviewed'} />
        </div>
        <Heading id={titleId} className="display text-2xl">
          {detection.rule}
        </Heading>
        <p className="wrap-anywhere">{detection.explanation}</p>
        {key ? <p className="max-w-prose text-muted">{rules[key].description}</p> : null}
        <AiVerdict detection={detection} />
      </header>
      {can(role, 'anticheat:review') ? (
        <ReviewForm key={detectionId} detection={detection} reviews={reviews} onDecide={onDecide} />
      ) : (
        <ReviewText detection={detection} />
      )}
      {detection.verdict === 'confirmed' && can(role, 'participants:moderate') ? (
        <Disqualify key={`disqualify ${detectionId}`} detection={detection} project={path} />
      ) : null}
      <ReportsChart projectId={projectId} detectionId={detectionId} />
      <EvidenceList key={`evidence ${detectionId}`} projectId={projectId} detectionId={detectionId} />
      <DetectionFacts detection={detection} base={`${path}/anti-cheat`} />
    </article>
  );
}
