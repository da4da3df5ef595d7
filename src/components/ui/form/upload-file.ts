/** Where a file may be put, and the headers that have to go with it. */
export type UploadTarget = { uploadUrl: string; requiredHeaders: Record<string, string> };

/**
 * Sends a file with one PUT and tells how much of it, 0 to 1, is on its way. An XMLHttpRequest, since fetch does not tell.
 * Rejects with an Error to show when the store refuses it or cannot be reached, and with the signal's reason when aborted.
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
        : reject(new Error(`The file was not taken (${request.status}). Choose it again to try once more.`));
    request.onerror = () => reject(new Error('The upload broke off. Check your connection, then try again.'));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}
