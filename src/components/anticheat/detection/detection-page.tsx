'use client';

import { DetectionView, type ReviewedProject } from '@/components/anticheat/detection/detection-view';
import { useLiveDetections } from '@/components/anticheat/use-live-detections';
import { useReviews } from '@/components/anticheat/use-reviews';

/** A detection on a page of its own, kept current. */
export function DetectionPage({ project, detectionId }: { project: ReviewedProject; detectionId: string }) {
  const reviews = useReviews(project.id);
  useLiveDetections(project.id, reviews.refresh);
  return <DetectionView project={project} detectionId={detectionId} reviews={reviews} heading="h1" />;
}
