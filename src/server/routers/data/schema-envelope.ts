import { z } from 'zod';
import { compiled, isKept } from '@/server/compiled';
import { pageFields } from '@/server/paging';

/** The schema of a data API response around `data`. */
export function dataEnvelope<T extends z.ZodType>(data: T) {
  const schema = compiled(z.object({ success: z.literal(true), data, message: z.string() }));
  const check = schema.parseAsync;
  // Data that is kept was checked by itself.
  const parseAsync: typeof check = async (value) =>
    isKept(data, (value as { data?: unknown }).data) ? (value as z.output<typeof schema>) : check(value);
  return Object.assign(schema, { parseAsync });
}

/** The schema of a data API response with one page of items, which are under `name`. */
export function dataPage<K extends string, T extends z.ZodType>(name: K, item: T) {
  const items = { [name]: z.array(item) } as Record<K, z.ZodArray<T>>;
  return dataEnvelope(z.object({ ...items, ...pageFields }));
}

/** A successful response of the data API. */
export function succeed<T>(data: T, message: string): { success: true; data: T; message: string } {
  return { success: true, data, message };
}
