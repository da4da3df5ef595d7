import { imageDimensionsFromData } from 'image-dimensions';

/** Image types that every browser supports and that cannot contain scripts. */
export const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/avif'] as const;
export type ImageType = (typeof imageTypes)[number];

export const maxImageMiB = 5;
/** Maximum size of a banner or a screenshot in bytes. */
export const imageLimit = maxImageMiB * 1024 * 1024;

export const maxImageMegapixels = 50;
/** Every browser that shows an image keeps 4 bytes of each pixel, though a file of 60 KiB can have 500 million of them. */
const maxPixels = maxImageMegapixels * 1_000_000;
/** A browser may refuse longer sides. */
const maxSide = 16_384;

/** How many of the first bytes of a file say its size in pixels: in photos, a profile and a preview come before it. */
export const imageHeadBytes = 512 * 1024;
/** Other types say it sooner, and to look for it in more bytes would take long. */
const otherHeadBytes = 32 * 1024;

/**
 * The type of an image that can be shown, whatever its name says, or why it cannot.
 * @param head the first `imageHeadBytes` bytes of the file, or all of them
 */
export function imageTypeOf(head: Uint8Array): ImageType | 'no image' | 'too many pixels' {
  const found = dimensionsOf(head);
  const type = imageTypes.find((known) => known === `image/${found?.type}`);
  if (!found || !type) return 'no image';
  const { width, height } = found;
  return width > maxSide || height > maxSide || width * height > maxPixels ? 'too many pixels' : type;
}

function dimensionsOf(head: Uint8Array): ReturnType<typeof imageDimensionsFromData> {
  const isJpeg = head[0] === 0xff;
  try {
    return imageDimensionsFromData(isJpeg ? head : head.subarray(0, otherHeadBytes));
  } catch {
    return undefined; // It throws at some malformed files.
  }
}
