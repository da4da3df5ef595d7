import { z } from 'zod';
import { imageLimit, imageTypes, maxImageMiB } from '@/domain/files/images';
import { grantUpload, type UploadRequest } from '@/server/storage/media';

const timestamp = z.iso.datetime();

/** The fields of a request for the upload of an image; `name` begins the sentences: `A banner`. */
export function imageFields(name: string) {
  return {
    contentType: z.enum(imageTypes, { error: `${name} has to be a PNG, JPEG, WebP or AVIF image.` }),
    sizeBytes: z
      .number()
      .int()
      .min(1)
      .max(imageLimit, { error: `${name} can have at most ${maxImageMiB} MiB.` }),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, { error: 'must be the SHA-256 of the bytes in hex' })
      .describe('Of the bytes, in hex.'),
  };
}

/** Where to upload the file: one PUT with `requiredHeaders`. */
export const uploadGrant = z.object({
  uploadUrl: z.url(),
  mediaFileId: z.string(),
  key: z.string(),
  expiresAt: timestamp,
  requiredHeaders: z.record(z.string(), z.string()),
});

/** Where to read a file that is not public, until the address expires. */
export const downloadGrant = z.object({ url: z.url(), contentType: z.string(), expiresAt: timestamp });

/** Grants an upload in the shape of `uploadGrant`. */
export async function grantUploadTo(request: UploadRequest): Promise<z.output<typeof uploadGrant>> {
  const { url, id, key, expiresAt, requiredHeaders } = await grantUpload(request);
  return { uploadUrl: url, mediaFileId: id, key, expiresAt: expiresAt.toISOString(), requiredHeaders };
}
