/** The server's limit for a request, in bytes. */
const maxBytes = 1024 * 1024;

export type ReadFile = { ok: true; value: Record<string, unknown> } | { ok: false; error: string };

/** Reads a chosen file as JSON; a sentence says what keeps it from being imported. */
export async function readFile(file: Pick<File, 'size' | 'text'>): Promise<ReadFile> {
  if (file.size >= maxBytes)
    return { ok: false, error: 'This file is larger than 1 MiB, the most that can be imported.' };
  try {
    const value: unknown = JSON.parse((await file.text()).replace(/^\uFEFF/, ''));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError();
    if (!('format' in value) || value.format !== 'laurel') {
      return { ok: false, error: 'This is not an export of Laurel. Choose a file that “Export as a file” made.' };
    }
    return { ok: true, value: value as Record<string, unknown> };
  } catch {
    return { ok: false, error: 'This file is not valid JSON. Choose a file that “Export as a file” made.' };
  }
}
