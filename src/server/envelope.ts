import { z } from 'zod';

const page = z.number().int().min(1).max(1_000_000).default(1).describe('Counted from 1.');

/** `page` and `limit` of a list; a limit above the maximum is refused, not cut. */
export function pageInputOf(maximum: number, usual: number) {
  const limit = z.number().int().min(1).max(maximum).default(usual);
  return z.object({ page, limit: limit.describe(`Items a page, at most ${maximum}.`) });
}

/** The usual paging: 25 items a page, at most 100. */
export const pageInput = pageInputOf(100, 25);

export type PageInput = { page: number; limit: number };

const pageFields = {
  total: z.number().int().describe('Items over all pages.'),
  page: z.number().int(),
  limit: z.number().int(),
  totalPages: z.number().int().describe('0 when there is nothing.'),
  hasNext: z.boolean(),
  hasPrev: z.boolean(),
};

/** The body of a list route outside the data API. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), ...pageFields });
}

/** What Prisma needs to read one page. */
export function pageArgs({ page, limit }: PageInput): { skip: number; take: number } {
  return { skip: (page - 1) * limit, take: limit };
}

/** The paging fields that describe where a page stands among `total` items. */
export function paging(total: number, { page, limit }: PageInput) {
  const totalPages = Math.ceil(total / limit);
  return { total, page, limit, totalPages, hasNext: page < totalPages, hasPrev: page > 1 && total > 0 };
}

/** A page as `pageOf` describes it. */
export function toPage<T>(items: T[], total: number, input: PageInput) {
  return { items, ...paging(total, input) };
}

/**
 * The same schema, checked several times faster: zod compiles its synchronous path alone, and tRPC takes the other where
 * there is one. Only for schemas that nothing asynchronous refines.
 */
export function compiled<T extends z.ZodType>(schema: T): T {
  return Object.assign(schema, { parseAsync: async (value: unknown) => schema.parse(value) });
}

/** The data API's envelope around `data`. */
export function dataEnvelope<T extends z.ZodType>(data: T) {
  return compiled(z.object({ success: z.literal(true), data, message: z.string() }));
}

/** The data API's envelope around one page, its items under a name of their own. */
export function dataPage<K extends string, T extends z.ZodType>(name: K, item: T) {
  const items = { [name]: z.array(item) } as Record<K, z.ZodArray<T>>;
  return dataEnvelope(z.object({ ...items, ...pageFields }));
}

/** A successful answer of the data API. */
export function succeed<T>(data: T, message: string): { success: true; data: T; message: string } {
  return { success: true, data, message };
}
