import { expect, onTestFinished } from 'vitest';

/** The output of an SSE subscription: the text so far, and a wait for a word in it. Ends with the test. @param from an address */
export async function follow(url: string, bearer?: string, from?: string) {
  const abort = new AbortController();
  const response = await fetch(url, {
    headers: {
      accept: 'text/event-stream',
      ...(bearer && { authorization: bearer }),
      ...(from && { 'x-forwarded-for': from }),
    },
    signal: abort.signal,
  });
  let text = '';
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
  })().catch(() => undefined);
  onTestFinished(async () => {
    abort.abort();
    await reading;
  });
  return {
    text: () => text,
    end: () => abort.abort(),
    until: (word: string) => expect.poll(() => text, { timeout: 5_000 }).toContain(word),
  };
}
