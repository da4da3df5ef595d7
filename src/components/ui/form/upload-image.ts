import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { type UploadTarget, uploadFile } from '@/components/ui/form/upload-file';
import {
  type ImageType,
  imageHeadBytes,
  imageLimit,
  imageSizeLimit,
  imageTypeOf,
  maxImageMiB,
} from '@/domain/files/images';

/** What the server grants an upload for. */
export type ImageFacts = { contentType: ImageType; sizeBytes: number; sha256: string };

/**
 * Checks an image, asks for a grant and uploads it.
 * @param preview object URL of the file, which is decoded to see whether it is an image
 * @param onProgress gets the uploaded share, 0 to 1
 * @returns the grant
 * @throws an Error whose message can be shown, what `grant` throws, or the reason of the abort
 */
export async function uploadImage<Grant extends UploadTarget>(
  file: File,
  preview: string,
  grant: (facts: ImageFacts) => Promise<Grant>,
  options: { onProgress: (share: number) => void; signal: AbortSignal },
): Promise<Grant> {
  if (file.size > imageLimit) throw new Error(`This image is larger than ${maxImageMiB} MiB. Choose a smaller one.`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  const contentType = imageTypeOf(bytes.subarray(0, imageHeadBytes));
  if (contentType === 'no image') throw new Error('Choose a PNG, JPEG, WebP, or AVIF image.');
  if (contentType === 'too many pixels') {
    throw new Error(`This image is too large. Choose one with ${imageSizeLimit}.`);
  }
  const image = new window.Image();
  image.src = preview;
  await image.decode().catch(() => {
    throw new Error('This file cannot be read as an image. Choose another.');
  });
  // The browser's own hashing needs a secure page, which an instance on a local network may not be.
  const digest = bytesToHex(sha256(bytes));
  options.signal.throwIfAborted();
  const granted = await grant({ contentType, sizeBytes: file.size, sha256: digest });
  await uploadFile(granted, file, options);
  return granted;
}
