import { refuse } from '@/server/errors';
import type { HttpRequest } from '@/server/http/exchange';
import { isJson, pauseBetweenSteps, requireShape } from '@/server/http/json-shape';
import { holdsUnstorableText } from '@/server/storable-text';

export type JsonBody = { raw: Buffer; value: Record<string, unknown> };

/**
 * The body as a JSON object; an absent one counts as `{}` whatever its Content-Type.
 * Throws BODY_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, MALFORMED_JSON or VALIDATION_FAILED.
 */
export async function readJson(request: HttpRequest, limit?: number): Promise<JsonBody> {
  const raw = await request.readBody(limit);
  if (raw.length === 0) return { raw, value: {} };
  if (!isJson(request.headers['content-type'] ?? '')) throw refuse('UNSUPPORTED_MEDIA_TYPE');
  if (request.headers['content-encoding'] && request.headers['content-encoding'] !== 'identity') {
    throw refuse('UNSUPPORTED_MEDIA_TYPE', { message: 'Send the body without Content-Encoding.' });
  }
  await requireShape(raw);
  const text = raw.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refuse('MALFORMED_JSON');
  }
  await pauseBetweenSteps(raw);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refuse('VALIDATION_FAILED', { issues: [{ path: '', message: 'The body must be a JSON object.' }] });
  }
  if (text.includes('\\u')) {
    if (holdsUnstorableText(value)) {
      throw refuse('VALIDATION_FAILED', {
        issues: [{ path: '', message: 'Text may not contain NUL characters or unpaired surrogates.' }],
      });
    }
    await pauseBetweenSteps(raw);
  }
  return { raw, value: value as Record<string, unknown> };
}
