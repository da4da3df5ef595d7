import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { addressOf } from '@/server/http/caller-address';
import { closing, sendText } from '@/server/http/exchange';
import { chunksInTurn } from '@/server/http/turns/chunks';

const prefix = '/_next/static/';
const contentTypes: Record<string, string> = {
  '.js': 'application/javascript; charset=UTF-8',
  '.css': 'text/css; charset=UTF-8',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

/** Sizes of files by path; their names change with their content. */
const sizes = new Map<string, number>();

async function sizeOf(file: string): Promise<number | null> {
  const known = sizes.get(file);
  if (known !== undefined) return known;
  const found = await stat(file).catch(() => null);
  if (!found?.isFile()) return null;
  sizes.set(file, found.size);
  return found.size;
}

/** What the build compressed with, smallest first, and how those files end. Browsers take Brotli over HTTPS only. */
const encodings = [
  { encoding: 'br', suffix: '.br', accepted: accepts('br') },
  { encoding: 'gzip', suffix: '.gz', accepted: accepts('gzip') },
] as const;

/** Matches an Accept-Encoding that names an encoding, and does not forbid it with `q=0`. */
function accepts(encoding: string): RegExp {
  return new RegExp(`(?:^|[\\s,])${encoding}(?:$|[\\s,;])(?!\\s*q=0(?:\\.0*)?(?:$|[\\s,]))`);
}

/** The smallest file for a path in an encoding that the client takes; null when there is none. */
async function find(name: string, accepted: string) {
  const file = path.join(process.cwd(), '.next/static', name);
  for (const { encoding, suffix, accepted: accepts } of encodings) {
    const size = accepts.test(accepted) ? await sizeOf(`${file}${suffix}`) : null;
    if (size !== null) return { file: `${file}${suffix}`, size, encoding };
  }
  const size = await sizeOf(file);
  return size === null ? null : { file, size, encoding: null };
}

/**
 * Sends a file of the build; scripts and style sheets as the build compressed them. Next.js would compress them again for every
 * request, and render a page for every file or range that does not exist, with which one machine could hold up all others.
 */
export async function sendStatic(req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (req.method !== 'GET' && req.method !== 'HEAD') {
    return sendText(res, 405, 'Files are read with GET.', { Allow: 'GET, HEAD' });
  }
  const [url = ''] = (req.url ?? '').split('?', 1);
  const name = url.slice(prefix.length);
  // Names of the build are plain.
  const isPlain = url.startsWith(prefix) && /^[\w./~-]+$/.test(name) && !name.includes('..');
  const found = isPlain ? await find(name, req.headers['accept-encoding']?.toString() ?? '') : null;
  if (!found) return sendText(res, 404, 'Not found');
  res.writeHead(200, {
    'Content-Type': contentTypes[path.extname(name)] ?? 'application/octet-stream',
    ...(found.encoding === null ? {} : { 'Content-Encoding': found.encoding }),
    'Content-Length': found.size,
    'Cache-Control': 'public, max-age=31536000, immutable',
    Vary: 'Accept-Encoding',
    'X-Content-Type-Options': 'nosniff',
  });
  if (req.method === 'HEAD') return void res.end();
  const signal = closing(res);
  const file = createReadStream(found.file);
  await pipeline(file, (bytes: Readable) => chunksInTurn(bytes, addressOf(req)), res).catch((error) => {
    if (!signal.aborted) throw error;
  });
}
