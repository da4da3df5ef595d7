import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Prisma } from '@/generated/prisma/client';
import type { Plan } from '@/generated/prisma/enums';
import { lastUseOf } from '@/server/auth/last-use';
import { anyOf, db, rowsOf } from '@/server/db';
import { liveConnected, onApiKeyChange } from '@/server/events/live';
import { type ProjectSteps, stepsOfProject } from '@/server/events/project-turn';
import { Batcher } from '@/server/jobs/embedded/batcher';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const shape = /^lrl_([0-9A-Za-z]{8})_[0-9A-Za-z]{43}$/;

/** `steps` are those in which its requests take turns. */
export type ResolvedKey = {
  id: string;
  publicId: string;
  projectId: string;
  steps: ProjectSteps;
  plan: Plan;
  scopes: readonly string[];
};

function base62(bytes: Buffer, length: number): string {
  let value = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  while (text.length < length) {
    text = alphabet[Number(value % 62n)] + text;
    value /= 62n;
  }
  return text;
}

/** SHA-256 in hex: how every high-entropy token is stored. */
export function hashToken(token: string): string {
  return hash('sha256', token);
}

/** A new key: `lrl_`, 8 characters of public id, `_`, and 32 random bytes in base 62. The key is only shown once. */
export function mintApiKey(): { key: string; publicId: string; keyHash: string } {
  const publicId = base62(randomBytes(6), 8);
  const key = `lrl_${publicId}_${base62(randomBytes(32), 43)}`;
  return { key, publicId, keyHash: hashToken(key) };
}

/** How long a key is cached, in ms, so that a revocation takes effect within a second even if its notice is lost. */
const cacheMs = 900;
const cacheSize = 10_000;

type CachedKey = { key: ResolvedKey; hash: Buffer; expiresAt: Date | null; readAt: number };

const cache = new Map<string, CachedKey>();
let changes = 0;

onApiKeyChange((publicId) => {
  changes += 1;
  cache.delete(publicId);
});

type Row = {
  id: string;
  publicId: string;
  projectId: string;
  keyHash: string;
  scopes: string[];
  expiresAt: Date | null;
  plan: Plan;
  createdFrom: string | null;
  createdById: string | null;
};

/** Requests that arrive while a statement runs share the next one: anybody can send keys that do not exist. */
const keys = new Batcher<string, Row | null>(100, async (publicIds) => {
  const rows = await rowsOf<Row>(
    db,
    Prisma.sql`
    SELECT k.id, k."publicId", k."projectId", k."keyHash", k.scopes, k."expiresAt", p.plan, p."createdFrom", p."createdById"
    FROM api_key k JOIN project p ON p.id = k."projectId"
    WHERE k."publicId" = ${anyOf(publicIds)} AND k."revokedAt" IS NULL`,
  );
  const found = new Map(rows.map((row) => [row.publicId, row]));
  return publicIds.map((publicId) => found.get(publicId) ?? null);
});

async function readKey(publicId: string): Promise<CachedKey | null> {
  const readAt = performance.now();
  const changesBefore = changes;
  const row = await keys.add(publicId);
  if (!row) return null;
  const { id, projectId, plan, scopes } = row;
  const key = { id, publicId, projectId, steps: stepsOfProject({ ...row, id: projectId }), plan, scopes };
  const found = { key, hash: Buffer.from(row.keyHash, 'hex'), expiresAt: row.expiresAt, readAt };
  // If a key changed during the query, the row may be outdated.
  if (liveConnected() && changes === changesBefore) {
    if (cache.size >= cacheSize) cache.clear();
    cache.set(publicId, found);
  }
  return found;
}

/** The cached key. Without notices of changes, the cache is not used. */
function cached(publicId: string): CachedKey | null {
  const found = cache.get(publicId);
  return found && liveConnected() && performance.now() - found.readAt < cacheMs ? found : null;
}

const recordUse = lastUseOf('api_key');

/** The API key of a header value; null when it is unknown, expired or revoked. */
export async function resolveApiKey(raw: string): Promise<ResolvedKey | null> {
  const publicId = shape.exec(raw)?.[1];
  if (!publicId) return null;
  const found = cached(publicId) ?? (await readKey(publicId));
  if (!found || !timingSafeEqual(found.hash, hash('sha256', raw, 'buffer'))) return null;
  if (found.expiresAt && found.expiresAt.getTime() <= Date.now()) return null;
  recordUse(found.key.id);
  return found.key;
}
