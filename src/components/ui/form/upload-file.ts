/** Where to upload a file, and the headers to send with it. */
export type UploadTarget = { uploadUrl: string; requiredHeaders: Record<string, string> };

/**
 * Uploads a file with one PUT request and reports the progress from 0 to 1. Uses XMLHttpRequest, because fetch does not
 * report upload progress. Rejects with an Error whose message can be shown, or with the signal's reason when aborted.
 */
export function uploadFile(
  { uploadUrl, requiredHeaders }: UploadTarget,
  file: Blob,
  { onProgress, signal }: { onProgress: (share: number) => void; signal: AbortSignal },
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const request = new XMLHttpRequest();
    request.open('PUT', uploadUrl);
    for (const [name, value] of Object.entries(requiredHeaders)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () =>
      request.status < 300
        ? resolve()
        : reject(new Error(`The upload failed with status ${request.status}. Choose the file again to retry.`));
    request.onerror = () => reject(new Error('The upload was interrupted. Check your connection, then try again.'));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}
