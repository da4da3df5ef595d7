import { z } from 'zod';
import { pageFields } from '@/server/paging';

/**
 * The same schema, validated several times faster: zod compiles only its synchronous path, and tRPC prefers the
 * asynchronous one. Not for schemas with an asynchronous refinement.
 */
export function compiled<T extends z.ZodType>(schema: T): T {
  return Object.assign(schema, { parseAsync: async (value: unknown) => schema.parse(value) });
}

/** The schema of a data API response around `data`. */
export function dataEnvelope<T extends z.ZodType>(data: T) {
  return compiled(z.object({ success: z.literal(true), data, message: z.string() }));
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
