import { ChevronLeft } from 'lucide-react';
import Link from 'next/link';
import { loadProject } from '@/app/dashboard/load-project';
import { DetectionPage } from '@/components/anticheat/detection/detection-page';
import { evidenceInput } from '@/components/anticheat/evidence/evidence-input';
import { can } from '@/domain/projects/permissions';
import { api, Hydrate, orPage, prefetch, queryClient, trpc } from '@/trpc/server';

export default async function Page({ params }: { params: Promise<{ project: string; detection: string }> }) {
  const { project: slug, detection: detectionId } = await params;
  const { project } = await loadProject(slug);
  if (!can(project.role, 'anticheat:read')) return null;
  const base = `/dashboard/${project.slug}/anti-cheat`;
  const input = { projectId: project.id, detectionId };
  const detection = await orPage((await api()).antiCheat.review.detection(input), `${base}/detections/${detectionId}`);
  queryClient().setQueryData(trpc.antiCheat.review.detection.queryKey(input), detection);
  await Promise.all([
    prefetch(trpc.antiCheat.review.reports.queryOptions(input)),
    prefetch(trpc.antiCheat.review.evidence.queryOptions(evidenceInput(input))),
  ]);
  return (
    <>
      <Link href={base} className="mb-4 inline-flex items-center gap-1 text-muted hover:text-ink">
        <ChevronLeft aria-hidden className="size-4" />
        Detections
      </Link>
      <Hydrate>
        <DetectionPage
          project={{ id: project.id, path: `/dashboard/${project.slug}`, role: project.role }}
          detectionId={detectionId}
        />
      </Hydrate>
    </>
  );
}
