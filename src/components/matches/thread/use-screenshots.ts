'use client';

import { useEffect, useRef, useState } from 'react';
import { uploadImage } from '@/components/ui/form/upload-image';
import { maxScreenshots } from '@/domain/brackets/thread';
import { useTRPCClient } from '@/trpc/client';
import { readError } from '@/trpc/errors';

/** An image that was chosen for a message. */
export type Screenshot = {
  /** Object URL of the file; also its key. */
  preview: string;
  name: string;
  /** The uploaded part, 0 to 1. */
  share: number;
  /** Null until the upload is complete. */
  mediaFileId: string | null;
  error: string | null;
};

/** The images of a message that is being written: each uploads as soon as it is chosen. */
export function useScreenshots(matchId: string) {
  const client = useTRPCClient();
  const [items, setItems] = useState<Screenshot[]>([]);
  const uploads = useRef(new Map<string, AbortController>());
  useEffect(() => {
    const running = uploads.current;
    return () => {
      for (const [preview, controller] of running) {
        controller.abort();
        URL.revokeObjectURL(preview);
      }
    };
  }, []);

  const change = (preview: string, next: Partial<Screenshot>) =>
    setItems((current) => current.map((item) => (item.preview === preview ? { ...item, ...next } : item)));

  async function upload(file: File, preview: string, signal: AbortSignal) {
    try {
      const { mediaFileId } = await uploadImage(
        file,
        preview,
        (facts) => client.matches.grantScreenshot.mutate({ matchId, ...facts }),
        { onProgress: (share) => change(preview, { share }), signal },
      );
      change(preview, { mediaFileId, share: 1 });
    } catch (error) {
      if (signal.aborted) return;
      const { reason, message } = readError(error);
      change(preview, { error: reason === 'UNKNOWN' && error instanceof Error ? error.message : message });
    }
  }

  /** Takes the images of `files`, as many as a message can carry. */
  function add(files: Iterable<File>) {
    const images = [...files].filter(({ type }) => type.startsWith('image/')).slice(0, maxScreenshots - items.length);
    for (const file of images) {
      const preview = URL.createObjectURL(file);
      const controller = new AbortController();
      uploads.current.set(preview, controller);
      setItems((current) => [...current, { preview, name: file.name, share: 0, mediaFileId: null, error: null }]);
      void upload(file, preview, controller.signal);
    }
    return images.length;
  }

  function remove(preview: string) {
    uploads.current.get(preview)?.abort();
    uploads.current.delete(preview);
    URL.revokeObjectURL(preview);
    setItems((current) => current.filter((item) => item.preview !== preview));
  }

  return {
    items,
    add,
    remove,
    /** Forgets all images, which a message carries now. */
    clear: () => {
      for (const { preview } of items) remove(preview);
    },
    /** Whether one more fits. */
    hasRoom: items.length < maxScreenshots,
    isUploading: items.some(({ mediaFileId, error }) => mediaFileId === null && error === null),
    mediaFileIds: items.flatMap(({ mediaFileId }) => mediaFileId ?? []),
  };
}
export type Screenshots = ReturnType<typeof useScreenshots>;
