import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Plan } from '@/generated/prisma/enums';
import { db } from '@/server/db';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const shape = /^lrl_([0-9A-Za-z]{8})_[0-9A-Za-z]{43}$/;

export type ResolvedKey = { id: string; publicId: string; projectId: string; plan: Plan; scopes: readonly string[] };

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
  return createHash('sha256').update(token).digest('hex');
}

/** A new key: `lrl_` + 8-character public id + `_` + 32 random bytes in base 62. The key is shown once. */
export function mintApiKey(): { key: string; publicId: string; keyHash: string } {
  const publicId = base62(randomBytes(6), 8);
  const key = `lrl_${publicId}_${base62(randomBytes(32), 43)}`;
  return { key, publicId, keyHash: hashToken(key) };
}

/** Finds the live key behind a header value; null when unknown, expired or revoked. */
export async function resolveApiKey(raw: string): Promise<ResolvedKey | null> {
  const publicId = shape.exec(raw)?.[1];
  if (!publicId) return null;
  const row = await db.apiKey.findUnique({
    where: { publicId },
    select: {
      id: true,
      projectId: true,
      keyHash: true,
      scopes: true,
      expiresAt: true,
      revokedAt: true,
      project: { select: { plan: true } },
    },
  });
  if (!row || row.revokedAt || (row.expiresAt && row.expiresAt <= new Date())) return null;
  if (!timingSafeEqual(Buffer.from(row.keyHash, 'hex'), Buffer.from(hashToken(raw), 'hex'))) return null;
  return { id: row.id, publicId, projectId: row.projectId, plan: row.project.plan, scopes: row.scopes };
}
