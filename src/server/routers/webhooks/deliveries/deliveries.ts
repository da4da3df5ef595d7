import { Prisma } from '@/generated/prisma/client';
import { readerOf } from '@/server/context';
import { columnsOf, db, rowsOf } from '@/server/db';
import { countStatement, pageStatement } from '@/server/delivery/replay';
import { refuse } from '@/server/errors';
import { largestPage, pageArgs, toPage, totalOf } from '@/server/paging';
import { report } from '@/server/report';
import {
  attemptTimings,
  deliveryDetail,
  deliveryInput,
  deliveryPage,
  listDeliveriesInput,
} from '@/server/routers/webhooks/deliveries/schema';
import { subscriptionProcedure } from '@/server/routers/webhooks/gate';
import { deliveryStatuses } from '@/server/routers/webhooks/schema';
import { router } from '@/server/trpc';

const summary = {
  id: true,
  number: true,
  outcome: true,
  startedAt: true,
  durationMs: true,
  responseStatus: true,
  errorClass: true,
  errorMessage: true,
  trigger: true,
  nextAttemptAt: true,
} as const satisfies Prisma.WebhookAttemptSelect;

const complete = {
  ...summary,
  requestHeaders: true,
  requestBody: true,
  responseHeaders: true,
  responseBody: true,
  responseTruncated: true,
  peerAddress: true,
  timings: true,
} as const satisfies Prisma.WebhookAttemptSelect;

const fields = {
  id: true,
  subscriptionId: true,
  eventId: true,
  eventType: true,
  status: true,
  heldReason: true,
  isTest: true,
  attemptCount: true,
  nextAttemptAt: true,
  expiresAt: true,
  completedAt: true,
  replayCount: true,
  replayedAt: true,
  createdAt: true,
} as const satisfies Prisma.WebhookDeliverySelect;

type Fields = Prisma.WebhookDeliveryGetPayload<{ select: typeof fields }>;
type Summary = Prisma.WebhookAttemptGetPayload<{ select: typeof summary }>;

/** Attempts of a delivery that are read, the newest ones: replays may have made thousands. */
const maxAttempts = { listed: 20, complete: 100 };

/** The newest attempts of deliveries, by delivery and in their order. */
async function readAttempts<A extends Summary>(ids: string[], select: object, most: number): Promise<Map<string, A[]>> {
  const rows = await rowsOf<A & { deliveryId: string }>(
    db,
    Prisma.sql`
      SELECT a."deliveryId", ${columnsOf('a', select)} FROM unnest(${ids}::text[]) d ("id") CROSS JOIN LATERAL (
        SELECT * FROM "webhook_attempt" WHERE "deliveryId" = d."id" ORDER BY "number" DESC LIMIT ${most}::int) a
      ORDER BY a."number"`,
  );
  const found = new Map(ids.map((id): [string, A[]] => [id, []]));
  for (const row of rows) found.get(row.deliveryId)?.push(row);
  return found;
}

/** How many of the newest attempts of a delivery can be read completely: each may have a response of 16 KiB. */
async function countReadable(deliveryId: string): Promise<number> {
  const [row] = await rowsOf<{ fitting: number }>(
    db,
    Prisma.sql`
      SELECT count(*) FILTER (WHERE a."bytes" <= ${largestPage.bytes})::int AS fitting FROM (
        SELECT sum(octet_length("requestBody") + octet_length("requestHeaders"::text) + coalesce(octet_length("responseBody"), 0)
          + coalesce(octet_length("responseHeaders"::text), 0)) OVER (ORDER BY "number" DESC) AS "bytes"
        FROM "webhook_attempt" WHERE "deliveryId" = ${deliveryId} ORDER BY "number" DESC LIMIT ${maxAttempts.complete}
      ) a`,
  );
  return Math.max(1, row?.fitting ?? 0);
}

/** A delivery with its attempts in order; response and error are those of the newest one. */
function present<A extends Summary>(row: Fields & { attempts: A[] }) {
  const newest = row.attempts.at(-1);
  return {
    ...row,
    responseStatus: newest?.responseStatus ?? null,
    errorClass: newest?.errorClass ?? null,
    durationMs: newest?.durationMs ?? null,
    nextAttemptAt: row.nextAttemptAt?.toISOString() ?? null,
    expiresAt: row.expiresAt.toISOString(),
    completedAt: row.completedAt?.toISOString() ?? null,
    replayedAt: row.replayedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    attempts: row.attempts.map((attempt) => ({
      ...attempt,
      startedAt: attempt.startedAt.toISOString(),
      nextAttemptAt: attempt.nextAttemptAt?.toISOString() ?? null,
    })),
  };
}

type Complete = Prisma.WebhookAttemptGetPayload<{ select: typeof complete }>;

function headersOf(value: Prisma.JsonValue): Record<string, unknown> | null {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : null;
}

function presentComplete({ startedAt, nextAttemptAt, requestHeaders, responseHeaders, timings, ...rest }: Complete) {
  return {
    ...rest,
    startedAt: startedAt.toISOString(),
    nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
    timings: attemptTimings.parse(timings),
    requestHeaders: headersOf(requestHeaders) ?? {},
    responseHeaders: headersOf(responseHeaders),
  };
}

const list = subscriptionProcedure('webhooks:read')
  .meta({
    openapi: {
      method: 'GET',
      path: '/webhooks/subscriptions/{id}/deliveries',
      tags: ['Webhooks'],
      summary: 'List deliveries',
      description: 'Newest first, each with its status, response code, timing and newest 20 attempts.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(listDeliveriesInput)
  .output(deliveryPage)
  .query(async ({ ctx, input }) => {
    const { id: subscriptionId, status, type, errorClass, from, to } = input;
    const filter = { statuses: status ? [status] : deliveryStatuses, type, errorClass, from, to };
    const { skip, take } = pageArgs(input);
    const asker = await readerOf(ctx);
    // Ids first: skipped rows come from an index, and only this page reads whole rows.
    const page = await report<{ id: string }>(asker, pageStatement(subscriptionId, filter, skip, take));
    const ids = page.map(({ id }) => id);
    const total = await totalOf({ skip, take }, ids.length, async () => {
      const [row] = await report<{ count: number }>(asker, countStatement(subscriptionId, filter));
      return row?.count ?? 0;
    });
    const [rows, attempts] = await Promise.all([
      ctx.db.webhookDelivery.findMany({
        where: { id: { in: ids } },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        select: fields,
      }),
      readAttempts(ids, summary, maxAttempts.listed),
    ]);
    const shown = rows.map((row) => present({ ...row, attempts: attempts.get(row.id) ?? [] }));
    return toPage(shown, total, input);
  });

const read = subscriptionProcedure('webhooks:read')
  .meta({
    openapi: {
      method: 'GET',
      path: '/webhooks/subscriptions/{id}/deliveries/{deliveryId}',
      tags: ['Webhooks'],
      summary: 'Read a delivery',
      description:
        'With the request and the response of each attempt, up to the newest 100, and fewer where they are long. Credentials are masked.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(deliveryInput)
  .output(deliveryDetail)
  .query(async ({ ctx, input }) => {
    const where = { id: input.deliveryId, subscriptionId: input.id };
    const row = await ctx.db.webhookDelivery.findUnique({ where, select: fields });
    if (!row) throw refuse('NOT_FOUND', { message: 'There is no such delivery.' });
    const readable = await countReadable(row.id);
    const attempts = (await readAttempts<Complete>([row.id], complete, readable)).get(row.id) ?? [];
    return { ...present({ ...row, attempts }), attempts: attempts.map(presentComplete) };
  });

export const deliveries = router({ list, read });
