import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type CustomFieldDefinition, customFieldDefinition } from '@/domain/tournaments/settings';
import type { Tournament } from '@/generated/prisma/client';
import { BoundedCache } from '@/server/limits/bounded-cache';
import { doPiece } from '@/server/worker/pieces';

export const questionList = z.array(customFieldDefinition);

/** Bytes of all questions that are kept, as JSON: 500 of the longest. */
const maxKept = 32 * 1024 * 1024;
const kept = new BoundedCache<CustomFieldDefinition[]>(maxKept);
/** What is or was kept. Its JSON is not: tournaments are written with what changes every second. */
const checked = new WeakSet<object>();

/** Whether a value is questions that `readQuestions` has checked. */
export function isChecked(value: unknown): value is CustomFieldDefinition[] {
  return typeof value === 'object' && value !== null && checked.has(value);
}

type Row = Pick<Tournament, 'id' | 'projectId' | 'publishedAt' | 'customFields' | 'customFieldsVersion'>;

/**
 * The questions of a tournament as it was read. The same ones are checked once: the longest take two milliseconds, and anybody
 * may read a tournament as often as they like. Do not change them.
 */
export async function readQuestions(row: Row): Promise<CustomFieldDefinition[]> {
  const { id, projectId, publishedAt, customFields, customFieldsVersion } = row;
  // A version never changes once the tournament is published. A draft has one, whatever it asks.
  const digest = () => createHash('sha256').update(JSON.stringify(customFields)).digest('base64');
  const key = `${id} ${publishedAt === null ? digest() : customFieldsVersion}`;
  const known = kept.get(key);
  if (known) return known;
  return doPiece(projectId, () => {
    // Of several who asked at once, the first has checked them.
    const now = kept.get(key);
    if (now) return now;
    const questions = questionList.parse(customFields);
    checked.add(questions);
    kept.put(key, { owner: projectId, size: Buffer.byteLength(JSON.stringify(questions)), value: questions });
    return questions;
  });
}
