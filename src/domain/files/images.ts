import { imageDimensionsFromData } from 'image-dimensions';

/** Image types that every browser supports and that cannot contain scripts. */
export const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/avif'] as const;
export type ImageType = (typeof imageTypes)[number];

export const maxImageMiB = 5;
/** Maximum size of a banner or a screenshot in bytes. */
export const imageLimit = maxImageMiB * 1024 * 1024;

const maxMegapixels = 50;
/** Browsers may refuse longer sides, in pixels. */
const maxSide = 16_384;
/** The same, to continue a sentence. */
export const imageSizeLimit = `at most ${maxMegapixels} million pixels, and ${maxSide.toLocaleString('en')} on each side`;
/** A browser keeps 4 bytes for each pixel of an image that it shows, and a file of 60 KiB can have 500 million pixels. */
const maxPixels = maxMegapixels * 1_000_000;

/** How much of the start of a file is read for its size in pixels. In photos, a color profile and a preview come first. */
export const imageHeadBytes = 512 * 1024;
/** Other types have it near the start, and searching more bytes would take long. */
const otherHeadBytes = 32 * 1024;

/**
 * The type of an image by its content, whatever its name says, or why it cannot be shown.
 * @param head the first `imageHeadBytes` bytes of the file, or all of them
 */
export function imageTypeOf(head: Uint8Array): ImageType | 'no image' | 'too many pixels' {
  const found = dimensionsOf(head);
  const type = imageTypes.find((known) => known === `image/${found?.type}`);
  if (!found || !type) return 'no image';
  const { width, height } = found;
  return width > maxSide || height > maxSide || width * height > maxPixels ? 'too many pixels' : type;
}

/**
 * Whether a JPEG has a marker before its frame that belongs behind it. Such a marker has no length. Decoders pass over it, and
 * the library would take the bytes after it for the length: what it found as the size could stand anywhere.
 * Source: ITU-T T.81, table B.1 (RST0 to RST7, SOI, EOI) and B.1.1.5 (zero, which is no marker).
 */
function hasStrayMarker(head: Uint8Array): boolean {
  let at = 2;
  while (at + 3 < head.length) {
    const [first = 0, marker = 0, high = 0, low = 0] = head.subarray(at, at + 4);
    if (first !== 0xff || marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0 || (marker >= 0xd0 && marker <= 0xd9)) return true;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame || marker === 0xda) return false;
    at += 2 + (marker === 0x01 ? 0 : high * 256 + low);
  }
  return false;
}

function dimensionsOf(head: Uint8Array): ReturnType<typeof imageDimensionsFromData> {
  const isJpeg = head[0] === 0xff;
  if (isJpeg && hasStrayMarker(head)) return undefined;
  try {
    return imageDimensionsFromData(isJpeg ? head : head.subarray(0, otherHeadBytes));
  } catch {
    return undefined; // The library throws on some malformed files.
  }
}
