/** Bytes of a text that are shown. */
const maxBytes = 256 * 1024;

/** The beginning of a file as UTF-8 text; bytes that are none become replacement characters. */
export async function readText(url: string, signal: AbortSignal): Promise<{ text: string; isCut: boolean }> {
  const response = await fetch(url, { signal, credentials: 'omit', referrerPolicy: 'no-referrer', cache: 'no-store' });
  if (!response.ok || !response.body) throw new Error('The store did not send the file. Close this and open it again.');
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let left = maxBytes;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), isCut: false };
    text += decoder.decode(value.subarray(0, left), { stream: true });
    left -= value.length;
    if (left < 0) {
      await reader.cancel();
      return { text, isCut: true };
    }
  }
}
