'use client';

import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import Image from 'next/image';
import { useState } from 'react';
import { readText } from '@/components/anticheat/evidence/read-text';
import type { EvidenceItem, OpenedEvidence } from '@/components/anticheat/types';
import { buttonClass } from '@/components/ui/form/button';
import { Dialog } from '@/components/ui/overlay/dialog';
import { QueryError } from '@/components/ui/page/query-error';
import { Skeleton } from '@/components/ui/page/skeleton';
import { viewOf } from '@/domain/anticheat/evidence';
import { useTRPC, useTRPCClient } from '@/trpc/client';

/** Shows one file of evidence: an image, a video or text; any other is only downloaded. */
export function EvidenceViewer({
  projectId,
  detectionId,
  item,
  title,
  onClose,
}: {
  projectId: string;
  detectionId: string;
  item: EvidenceItem;
  title: string;
  onClose: () => void;
}) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  // Asked for once each time it is opened: every address that is granted is a view in the audit log.
  const query = useQuery({
    queryKey: [trpc.antiCheat.review.viewEvidence.mutationKey(), item.id],
    queryFn: () => client.antiCheat.review.viewEvidence.mutate({ projectId, detectionId, mediaFileId: item.id }),
    ...{ staleTime: Number.POSITIVE_INFINITY, gcTime: 0, retry: false },
  });
  const opened = query.data ? { ...query.data, view: viewOf(query.data.contentType) } : null;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={title}
      description={item.contentType}
      width="lg"
      footer={
        opened ? (
          <a href={opened.url} className={buttonClass({})} referrerPolicy="no-referrer">
            <Download aria-hidden />
            Download
          </a>
        ) : undefined
      }
    >
      {query.isError ? <QueryError title="The evidence could not be opened" query={query} /> : null}
      {query.isPending ? <Skeleton className="h-64 w-full" /> : null}
      {opened ? <Content opened={opened} title={title} /> : null}
    </Dialog>
  );
}

function Content({ opened: { url, view }, title }: { opened: OpenedEvidence; title: string }) {
  const [isBroken, setIsBroken] = useState(false);
  if (view === 'download') return <p className="text-muted">Files of this type are not shown here. Download it.</p>;
  if (isBroken) {
    return <p className="text-muted">The file does not hold what its type says, so it cannot be shown. Download it.</p>;
  }
  if (view === 'text') return <TextContent url={url} />;
  if (view === 'video') {
    return (
      <video
        src={url}
        controls
        preload="metadata"
        onError={() => setIsBroken(true)}
        className="max-h-[65dvh] w-full bg-sunken"
      >
        <track kind="captions" />
      </video>
    );
  }
  return (
    <Image
      src={url}
      alt={title}
      width={1600}
      height={900}
      referrerPolicy="no-referrer"
      onError={() => setIsBroken(true)}
      className="mx-auto h-auto max-h-[65dvh] w-auto max-w-full object-contain"
    />
  );
}

/** The beginning of a text, as characters: nothing in it is interpreted. */
function TextContent({ url }: { url: string }) {
  const query = useQuery({
    queryKey: ['evidence text', url],
    queryFn: ({ signal }) => readText(url, signal),
    ...{ staleTime: Number.POSITIVE_INFINITY, gcTime: 0, retry: false },
  });
  if (query.isError) return <QueryError title="The text could not be read" query={query} />;
  if (query.isPending) return <Skeleton className="h-64 w-full" />;
  return (
    <>
      <pre
        // It scrolls, with the keyboard too.
        tabIndex={0}
        dir="auto"
        className="max-h-[60dvh] overflow-auto rounded border bg-sunken p-4 font-mono text-xs whitespace-pre-wrap wrap-anywhere"
      >
        {query.data.text}
      </pre>
      {query.data.isCut ? (
        <p className="mt-2 text-muted">Only the beginning is shown. Download it to read the rest.</p>
      ) : null}
    </>
  );
}
