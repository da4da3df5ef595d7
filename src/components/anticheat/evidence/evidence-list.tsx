'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Download, Eye, FileText, FileVideo, Image as ImageIcon, type LucideIcon, Package } from 'lucide-react';
import { useState } from 'react';
import { evidenceInput, evidencePerPage } from '@/components/anticheat/evidence/evidence-input';
import { EvidenceViewer } from '@/components/anticheat/evidence/evidence-viewer';
import type { EvidenceItem } from '@/components/anticheat/types';
import { Button } from '@/components/ui/form/button';
import { Pagination } from '@/components/ui/navigation/pagination';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonText } from '@/components/ui/page/skeleton';
import { RelativeTime } from '@/components/ui/text/date-time';
import { type EvidenceKind, type EvidenceView, viewOf } from '@/domain/anticheat/evidence';
import { useTRPC } from '@/trpc/client';

const kindLabels: Record<EvidenceKind, string> = {
  screenshot: 'Screenshot',
  video: 'Video',
  demo: 'Demo file',
  log: 'Log',
  process_list: 'Process list',
  other: 'File',
};

const icons: Record<EvidenceView, LucideIcon> = {
  image: ImageIcon,
  video: FileVideo,
  text: FileText,
  download: Package,
};

/** `1.4 MB`. */
function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function EvidenceRow({ item, onOpen }: { item: EvidenceItem; onOpen: () => void }) {
  const view = viewOf(item.contentType);
  const Icon = icons[view];
  const label = kindLabels[item.kind];
  return (
    <li className="flex items-center gap-3 border-t border-line px-5 py-2.5">
      <Icon aria-hidden className="size-5 shrink-0 text-muted" />
      <span className="min-w-0 flex-1">
        <span className="block font-medium">{label}</span>
        <span className="block text-xs text-muted">
          {item.contentType} · {formatBytes(item.sizeBytes)} · <RelativeTime value={item.uploadedAt} />
          {item.isForDetection ? '' : ' · whole session'}
        </span>
      </span>
      <Button
        size="sm"
        icon={view === 'download' ? <Download aria-hidden /> : <Eye aria-hidden />}
        aria-label={`${view === 'download' ? 'Download' : 'View'} ${label.toLowerCase()}, ${item.contentType}`}
        onClick={onOpen}
      >
        {view === 'download' ? 'Download' : 'View'}
      </Button>
    </li>
  );
}

/** The evidence of a detection. A file opens on request, because every view goes into the audit log. */
export function EvidenceList({ projectId, detectionId }: { projectId: string; detectionId: string }) {
  const trpc = useTRPC();
  const [page, setPage] = useState(1);
  const [opened, setOpened] = useState<EvidenceItem | null>(null);
  const query = useQuery({
    ...trpc.antiCheat.review.evidence.queryOptions(evidenceInput({ projectId, detectionId }, page)),
    placeholderData: keepPreviousData,
  });
  if (query.isError) return <QueryError title="The evidence could not be loaded" query={query} />;
  return (
    <section aria-labelledby={`evidence-${detectionId}`} className="rounded border bg-surface">
      <header className="flex flex-wrap items-baseline gap-x-4 px-5 py-3">
        <h2 id={`evidence-${detectionId}`} className="display text-lg">
          Evidence
        </h2>
        {query.data && query.data.total > 0 ? (
          <p className="text-xs text-muted">Every view goes into the audit log.</p>
        ) : null}
      </header>
      {query.isPending ? (
        <div className="px-5 pb-5">
          <SkeletonText lines={2} />
        </div>
      ) : query.data.total === 0 ? (
        <p className="px-5 pb-4 text-muted">No evidence was uploaded for this detection or its session.</p>
      ) : (
        <>
          <ul>
            {query.data.items.map((item) => (
              <EvidenceRow key={item.id} item={item} onOpen={() => setOpened(item)} />
            ))}
          </ul>
          <div className="px-5 pb-3">
            <Pagination page={page} limit={evidencePerPage} total={query.data.total} onPage={setPage} noun="files" />
          </div>
        </>
      )}
      {opened ? (
        <EvidenceViewer
          key={opened.id}
          projectId={projectId}
          detectionId={detectionId}
          item={opened}
          title={kindLabels[opened.kind]}
          onClose={() => setOpened(null)}
        />
      ) : null}
    </section>
  );
}
