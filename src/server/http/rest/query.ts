import type { JsonSchema } from '@/domain/api-reference/api-document';
import { refuse } from '@/server/errors';

function parseText({ type }: JsonSchema, text: string): unknown {
  if (type === 'number' || type === 'integer') return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  if (type === 'boolean' && (text === 'true' || text === '1')) return true;
  if (type === 'boolean' && (text === 'false' || text === '0')) return false;
  return text;
}

/**
 * The known fields of a query string in the types of their schemas. Text that does not fit its type stays text and a
 * field that is given twice becomes a list, so that validation refuses both where they are not expected.
 */
export function readQuery(fields: ReadonlyMap<string, JsonSchema>, query: string): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  if (query === '') return values;
  const search = new URLSearchParams(query);
  for (const name of new Set(search.keys())) {
    const schema = fields.get(name);
    if (!schema) continue;
    const texts = search.getAll(name);
    if (texts.some((text) => text.includes('\0'))) {
      throw refuse('VALIDATION_FAILED', { issues: [{ path: name, message: 'Text may not contain NUL characters.' }] });
    }
    const items = texts.map((text) => parseText(schema.items ?? schema, text));
    values[name] = schema.type === 'array' || items.length > 1 ? items : items[0];
  }
  return values;
}
