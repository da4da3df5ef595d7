'use client';

import { useQuery } from '@tanstack/react-query';
import { ImageOff } from 'lucide-react';
import Image from 'next/image';
import { useState } from 'react';
import { Dialog } from '@/components/ui/overlay/dialog';
import { useTRPC } from '@/trpc/client';

/** Addresses are valid for five minutes; a new one is fetched a minute before. */
const addressMs = 4 * 60_000;

/** One screenshot of a message: a thumbnail that opens larger. */
function ShownScreenshot({ matchId, mediaFileId, label }: { matchId: string; mediaFileId: string; label: string }) {
  const trpc = useTRPC();
  const [open, setOpen] = useState(false);
  const [failed, setFailed] = useState<string | null>(null);
  const { data, isError, refetch } = useQuery(
    trpc.matches.viewScreenshot.queryOptions({ matchId, mediaFileId }, { staleTime: addressMs, gcTime: addressMs }),
  );
  const url = data?.url;
  if (isError || (url && failed === url)) {
    return (
      <span className="grid h-18 w-28 place-items-center rounded border border-dashed border-line-strong text-faint">
        <ImageOff aria-label={`${label} could not be loaded`} className="size-5" />
      </span>
    );
  }
  if (!url) return <span aria-hidden className="h-18 w-28 rounded border bg-sunken" />;
  return (
    <>
      <button
        type="button"
        className="overflow-hidden rounded border hover:border-line-strong"
        onClick={() => {
          setOpen(true);
          if (data && Date.parse(data.expiresAt) - Date.now() < 30_000) void refetch();
        }}
      >
        <Image
          src={url}
          alt={label}
          width={112}
          height={72}
          onError={() => setFailed(url)}
          className="h-18 w-28 object-cover"
        />
      </button>
      <Dialog open={open} onOpenChange={setOpen} title={label} width="lg">
        <Image
          src={url}
          alt={label}
          width={1600}
          height={900}
          className="mx-auto h-auto max-h-[75dvh] w-auto max-w-full object-contain"
        />
      </Dialog>
    </>
  );
}

/** The screenshots of a message. */
export function ShownScreenshots({ matchId, ids, by }: { matchId: string; ids: readonly string[]; by: string }) {
  if (ids.length === 0) return null;
  return (
    <div className="flex flex-wrap gap-2">
      {ids.map((id, at) => (
        <ShownScreenshot
          key={id}
          matchId={matchId}
          mediaFileId={id}
          label={`Screenshot ${ids.length > 1 ? `${at + 1} ` : ''}by ${by}`}
        />
      ))}
    </div>
  );
}
