import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

const prefix = '/_next/static/';
const contentTypes: Record<string, string> = {
  '.js': 'application/javascript; charset=UTF-8',
  '.css': 'text/css; charset=UTF-8',
};

/** Sizes of the compressed files by path; their names change with their content. */
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

/**
 * Sends a script or style sheet of the pages as the build compressed it. Next.js sends the other files of the build, without
 * compression: to compress them anew for everyone who asks would let one machine hold up all others for seconds.
 * @returns false where there is no such file or the client takes none; nothing is sent then
 */
export async function sendCompressed(req: IncomingMessage, res: ServerResponse): Promise<boolean> {
  const name = (req.url ?? '').split('?')[0] ?? '';
  if (!name.startsWith(prefix)) return false;
  const header = req.headers['accept-encoding'] ?? '';
  delete req.headers['accept-encoding'];
  const contentType = contentTypes[path.extname(name)];
  // Names of the build are plain, so anything encoded is left to Next.js.
  if (!contentType || !/^[\w./~-]+$/.test(name) || name.includes('..')) return false;
  if (req.method !== 'GET' && req.method !== 'HEAD') return false;
  const found = encodings.find(({ accepted }) => accepted.test(header));
  if (!found) return false;
  const file = path.join(process.cwd(), '.next/static', `${name.slice(prefix.length)}${found.suffix}`);
  const size = await sizeOf(file);
  if (size === null) return false;
  res.writeHead(200, {
    'Content-Type': contentType,
    'Content-Encoding': found.encoding,
    'Content-Length': size,
    'Cache-Control': 'public, max-age=31536000, immutable',
    Vary: 'Accept-Encoding',
    'X-Content-Type-Options': 'nosniff',
  });
  if (req.method === 'HEAD') res.end();
  else await pipeline(createReadStream(file), res);
  return true;
}
