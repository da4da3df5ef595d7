'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ImageUp, Trash2 } from 'lucide-react';
import Image from 'next/image';
import { useRouter } from 'next/navigation';
import { type DragEvent, useEffect, useId, useRef, useState } from 'react';
import { cn } from '@/components/ui/cn';
import { Progress } from '@/components/ui/data/progress';
import { Button } from '@/components/ui/form/button';
import { FormSection } from '@/components/ui/form/form-section';
import { uploadImage } from '@/components/ui/form/upload-image';
import { toastError, toastSuccess } from '@/components/ui/overlay/toaster';
import { ErrorNote } from '@/components/ui/page/error-state';
import { imageTypes } from '@/domain/files/images';
import { useTRPC, useTRPCClient } from '@/trpc/client';
import { readError } from '@/trpc/errors';

/** An upload in progress; `share` is the uploaded part, 0 to 1. */
type Upload = { preview: string; share: number };

/** Uploads or removes the banner of a tournament, independently of the form around it. */
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
  const [upload, setUpload] = useState<Upload | null>(null);
  const [error, setError] = useState<string | null>(null);
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
      onSuccess: () => changed(null, 'Banner removed'),
      onError: (error) => toastError(error),
    }),
  );

  async function send(file: File) {
    const controller = new AbortController();
    abort.current = controller;
    const preview = URL.createObjectURL(file);
    setError(null);
    try {
      setUpload({ preview, share: 0 });
      const { mediaFileId } = await uploadImage(
        file,
        preview,
        (facts) => client.tournaments.banner.upload.mutate({ tournamentId, ...facts }),
        { onProgress: (share) => setUpload({ preview, share }), signal: controller.signal },
      );
      const shown = await client.tournaments.banner.attach.mutate({ tournamentId, mediaFileId });
      await changed(shown.bannerUrl, 'Banner saved');
    } catch (error) {
      if (controller.signal.aborted) return;
      const { reason, message } = readError(error);
      setError(reason === 'UNKNOWN' && error instanceof Error ? error.message : message);
    } finally {
      setUpload(null);
      URL.revokeObjectURL(preview);
      if (picker.current) picker.current.value = '';
    }
  }

  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    if (file && !upload) void send(file);
  }

  const source = upload?.preview ?? bannerUrl;
  return (
    <FormSection
      title="Banner"
      description="Shown at the top of the public page and in link previews. Saved as soon as you choose it."
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
            alt="Banner preview"
            width={1152}
            height={288}
            loading="eager"
            className={cn('aspect-4/1 w-full rounded border object-cover', upload && 'opacity-60')}
          />
        ) : (
          <div className="grid aspect-4/1 place-items-center rounded border border-dashed border-line-strong p-4 text-center text-muted max-sm:aspect-5/2">
            Drop an image here, or choose one.
          </div>
        )}
        {upload ? (
          <Progress value={Math.round(upload.share * 100)} max={100} unit="%" label="Uploading the image" />
        ) : null}
        {error ? <ErrorNote message={error} /> : null}
        <div className="flex flex-wrap items-center gap-3">
          <input
            ref={picker}
            type="file"
            accept={imageTypes.join(',')}
            aria-label="Banner image"
            aria-describedby={hintId}
            tabIndex={-1}
            className="sr-only"
            onChange={({ target }) => {
              const [file] = target.files ?? [];
              if (file) void send(file);
            }}
          />
          {upload ? (
            <Button onClick={() => abort.current?.abort()}>Cancel</Button>
          ) : (
            <Button icon={<ImageUp aria-hidden />} onClick={() => picker.current?.click()}>
              {bannerUrl ? 'Replace the image' : 'Choose an image'}
            </Button>
          )}
          {bannerUrl && !upload ? (
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
            PNG, JPEG, WebP, or AVIF, up to 5 MiB, shown at a ratio of 4:1.
          </span>
        </div>
      </fieldset>
    </FormSection>
  );
}
