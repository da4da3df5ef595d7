'use client';

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ImageUp, Trash2 } from 'lucide-react';
import Image from 'next/image';
import { useRouter } from 'next/navigation';
import { type DragEvent, useEffect, useId, useRef, useState } from 'react';
import { cn } from '@/components/ui/cn';
import { Progress } from '@/components/ui/data/progress';
import { Button } from '@/components/ui/form/button';
import { FormSection } from '@/components/ui/form/form-section';
import { uploadFile } from '@/components/ui/form/upload-file';
import { toastError, toastSuccess } from '@/components/ui/overlay/toaster';
import { ErrorNote } from '@/components/ui/page/error-state';
import { type BannerType, bannerLimit, bannerTypes } from '@/domain/tournaments/banner';
import { useTRPC, useTRPCClient } from '@/trpc/client';
import { readError } from '@/trpc/errors';

/** An image on its way: how it looks, and the share of it that is sent, 0 to 1. */
type Upload = { preview: string; share: number };

const isBannerType = (type: string): type is BannerType => (bannerTypes as readonly string[]).includes(type);

/** Why the file cannot be a banner, or null. */
async function bannerError(file: File, preview: string): Promise<string | null> {
  if (!isBannerType(file.type)) return 'Choose a PNG, JPEG, WebP or AVIF image.';
  if (file.size > bannerLimit) return 'This image is larger than 5 MiB. Choose a smaller one.';
  const image = new window.Image();
  image.src = preview;
  return image.decode().then(
    () => null,
    () => 'This file cannot be read as an image. Choose another.',
  );
}

/** The image at the head of a tournament's page: chosen or dropped, sent, shown; each at once, apart from the form. */
export function BannerField({
  tournament: { id: tournamentId, bannerUrl: initialUrl },
}: {
  tournament: { id: string; bannerUrl: string | null };
}) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const queryClient = useQueryClient();
  const hintId = useId();
  const picker = useRef<HTMLInputElement>(null);
  const abort = useRef<AbortController>(undefined);
  const [bannerUrl, setBannerUrl] = useState(initialUrl);
  const [sending, setSending] = useState<Upload | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [over, setOver] = useState(false);
  useEffect(() => () => abort.current?.abort(), []);

  async function changed(next: string | null, message: string) {
    setBannerUrl(next);
    toastSuccess(message);
    await queryClient.invalidateQueries({ queryKey: trpc.tournaments.pathKey() });
    router.refresh();
  }

  const remove = useMutation(
    trpc.tournaments.banner.remove.mutationOptions({
      onSuccess: () => changed(null, 'The banner is removed'),
      onError: (error) => toastError(error),
    }),
  );

  async function send(file: File) {
    const controller = new AbortController();
    abort.current = controller;
    const preview = URL.createObjectURL(file);
    setFault(null);
    try {
      const found = await bannerError(file, preview);
      if (found || !isBannerType(file.type)) return setFault(found);
      setSending({ preview, share: 0 });
      // Browsers hash by themselves only on secure pages, and a Laurel on a local network may not be one.
      const digest = bytesToHex(sha256(new Uint8Array(await file.arrayBuffer())));
      const granted = await client.tournaments.banner.upload.mutate({
        tournamentId,
        contentType: file.type,
        sizeBytes: file.size,
        sha256: digest,
      });
      const onProgress = (share: number) => setSending({ preview, share });
      await uploadFile(granted, file, { onProgress, signal: controller.signal });
      const { mediaFileId } = granted;
      const shown = await client.tournaments.banner.attach.mutate({ tournamentId, mediaFileId });
      await changed(shown.bannerUrl, 'The banner is shown on the public page');
    } catch (error) {
      if (controller.signal.aborted) return;
      const { reason, message } = readError(error);
      setFault(reason === 'UNKNOWN' && error instanceof Error ? error.message : message);
    } finally {
      setSending(null);
      URL.revokeObjectURL(preview);
      if (picker.current) picker.current.value = '';
    }
  }

  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    if (file && !sending) void send(file);
  }

  const source = sending?.preview ?? bannerUrl;
  return (
    <FormSection
      title="Banner"
      description="At the head of the public page and where its link is shared. Saved as soon as it is chosen."
    >
      <fieldset
        aria-label="Banner"
        className={cn('grid gap-3 rounded', over && 'outline-2 outline-offset-4 outline-accent')}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        {source ? (
          <Image
            src={source}
            alt="The banner as it is shown"
            width={1152}
            height={288}
            unoptimized
            loading="eager"
            className={cn('aspect-4/1 w-full rounded border object-cover', sending && 'opacity-60')}
          />
        ) : (
          <div className="grid aspect-4/1 place-items-center rounded border border-dashed border-line-strong p-4 text-center text-muted max-sm:aspect-5/2">
            Drop an image here, or choose one.
          </div>
        )}
        {sending ? (
          <Progress value={Math.round(sending.share * 100)} max={100} unit="%" label="Sending the image" />
        ) : null}
        {fault ? <ErrorNote message={fault} /> : null}
        <div className="flex flex-wrap items-center gap-3">
          <input
            ref={picker}
            type="file"
            accept={bannerTypes.join(',')}
            aria-label="Banner image"
            aria-describedby={hintId}
            tabIndex={-1}
            className="sr-only"
            onChange={({ target }) => {
              const [file] = target.files ?? [];
              if (file) void send(file);
            }}
          />
          {sending ? (
            <Button onClick={() => abort.current?.abort()}>Stop</Button>
          ) : (
            <Button icon={<ImageUp aria-hidden />} onClick={() => picker.current?.click()}>
              {bannerUrl ? 'Replace the image' : 'Choose an image'}
            </Button>
          )}
          {bannerUrl && !sending ? (
            <Button
              variant="ghost"
              icon={<Trash2 aria-hidden />}
              loading={remove.isPending}
              onClick={() => remove.mutate({ tournamentId })}
            >
              Remove
            </Button>
          ) : null}
          <span id={hintId} className="text-xs text-faint">
            PNG, JPEG, WebP or AVIF up to 5 MiB, shown four times as wide as high.
          </span>
        </div>
      </fieldset>
    </FormSection>
  );
}
