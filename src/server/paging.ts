import { z } from 'zod';

const page = z.number().int().min(1).max(1_000_000).default(1).describe('The first page is 1.');

/** `page` and `limit` of a list. A limit above the maximum is an error: cutting it silently would hide results. */
export function pageInputOf(maximum: number, standard: number) {
  const limit = z.number().int().min(1).max(maximum).default(standard);
  return z.object({ page, limit: limit.describe(`Items per page, at most ${maximum}.`) });
}

/** The standard paging: 25 items per page, at most 100. */
export const pageInput = pageInputOf(100, 25);

export type PageInput = { page: number; limit: number };

export const pageFields = {
  total: z.number().int().describe('Items on all pages.'),
  page: z.number().int(),
  limit: z.number().int().describe('Items per page; less than you asked for where items are large.'),
  totalPages: z.number().int().describe('0 when there are no items.'),
  hasNext: z.boolean(),
  hasPrev: z.boolean(),
};

/** What one page has at most, so that reading and writing it takes the thread for less than 50 milliseconds. */
export const largestPage = { bytes: 512 * 1024, parts: 2_000 };

/**
 * What an item may have without making a page of a hundred too large, as in the partial indexes of those that have more
 * (migration `large_items`).
 */
export const ordinaryItem = { bytes: 5_000, parts: 20 };

/** Of the largest item of a list: the bytes of what has no fixed length, and how many players, games or such it has; null: nothing. */
export type LargestItem = { bytes?: number | null; parts?: number | null };

/**
 * The input of a page with a limit that is lower where items are large. It follows from the largest item of the whole list, so that
 * page numbers divide the list in one way, and "limit" and "totalPages" of a response say in which.
 */
export function boundPage<Input extends PageInput>(input: Input, { bytes, parts }: LargestItem): Input {
  const share = (bytes ?? 0) / largestPage.bytes + (parts ?? 0) / largestPage.parts;
  return { ...input, limit: Math.max(1, Math.min(input.limit, Math.floor(1 / share))) };
}

/** The schema of a list response outside the data API. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), ...pageFields });
}

/** The `skip` and `take` of one page, for Prisma. */
export function pageArgs({ page, limit }: PageInput): { skip: number; take: number } {
  return { skip: (page - 1) * limit, take: limit };
}

/**
 * How many items a list has, of which one page has `found`. A page with room left is the last one, so only others need `count`, which
 * reads the whole list.
 */
export async function totalOf(
  { skip, take }: { skip: number; take: number },
  found: number,
  count: () => Promise<number>,
): Promise<number> {
  return found < take && (found > 0 || skip === 0) ? skip + found : count();
}

/** The paging fields of a response: which page it is, out of how many. */
export function paging(total: number, { page, limit }: PageInput) {
  const totalPages = Math.ceil(total / limit);
  return { total, page, limit, totalPages, hasNext: page < totalPages, hasPrev: page > 1 && total > 0 };
}

/** One page in the shape of `pageOf`. */
export function toPage<T>(items: T[], total: number, input: PageInput) {
  return { items, ...paging(total, input) };
}
