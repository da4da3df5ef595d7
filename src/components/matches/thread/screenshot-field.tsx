'use client';

import { ImagePlus, X } from 'lucide-react';
import Image from 'next/image';
import { useRef } from 'react';
import type { Screenshots } from '@/components/matches/thread/use-screenshots';
import { cn } from '@/components/ui/cn';
import { Button } from '@/components/ui/form/button';
import { imageTypes } from '@/domain/files/images';

/** The chosen images with the progress of their uploads. Renders nothing while there are none. */
export function ChosenScreenshots({ screenshots: { items, remove } }: { screenshots: Screenshots }) {
  if (items.length === 0) return null;
  return (
    <ul aria-label="Attached images" className="flex flex-wrap gap-3">
      {items.map(({ preview, name, share, mediaFileId, error }) => (
        <li key={preview} className="grid w-28 grid-cols-1 content-start gap-1">
          <div className="relative">
            <Image
              src={preview}
              alt={name}
              width={112}
              height={72}
              className={cn('h-18 w-28 rounded border object-cover', mediaFileId === null && 'opacity-60')}
            />
            <Button
              size="icon"
              aria-label={`Remove ${name}`}
              className="absolute top-1 right-1 size-7 max-sm:size-9"
              icon={<X aria-hidden />}
              onClick={() => remove(preview)}
            />
          </div>
          {error ? (
            <p role="alert" className="text-xs text-danger">
              {error}
            </p>
          ) : mediaFileId === null ? (
            <div
              role="progressbar"
              aria-label={`Uploading ${name}`}
              aria-valuemin={0}
              aria-valuemax={100}
              aria-valuenow={Math.round(share * 100)}
              className="h-1.5 overflow-hidden rounded-full bg-line"
            >
              <div className="h-full rounded-full bg-accent" style={{ width: `${share * 100}%` }} />
            </div>
          ) : (
            <p className="truncate text-xs text-faint">{name}</p>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Chooses images for a message; they can be pasted into its text as well. */
export function ScreenshotButton({ screenshots }: { screenshots: Screenshots }) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={picker}
        type="file"
        multiple
        accept={imageTypes.join(',')}
        aria-label="Screenshots"
        tabIndex={-1}
        className="sr-only"
        onChange={({ target }) => {
          screenshots.add(target.files ?? []);
          target.value = '';
        }}
      />
      <Button
        icon={<ImagePlus aria-hidden />}
        disabled={!screenshots.hasRoom}
        onClick={() => picker.current?.click()}
        title="Or paste an image into the text"
      >
        Add image
      </Button>
    </>
  );
}
