import { PrismaPg } from '@prisma/adapter-pg';
import { TRPCError } from '@trpc/server';
import pg from 'pg';
import { expect, test } from 'vitest';
import { env } from '@/env';
import { PrismaClient } from '@/generated/prisma/client';
import { db, pool } from '@/server/db';
import { describeError, type Reason, reasons, refuse } from '@/server/errors';

test('an unreachable database is no failure of the program', async () => {
  const pool = new pg.Pool({ connectionString: 'postgres://nobody:none@127.0.0.1:1/none' });
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
  const asked = await Promise.allSettled([
    pool.query('SELECT 1'),
    prisma.user.findFirst(),
    prisma.$queryRaw`SELECT 1`,
    prisma.$transaction((tx) => tx.user.findFirst()),
  ]);
  for (const outcome of asked) {
    const error: unknown = outcome.status === 'rejected' ? outcome.reason : null;
    expect(describeError(error)).toMatchObject({ reason: 'NOT_READY', status: 503 });
  }
  await prisma.$disconnect();
});

test('a database without room on its disk is no failure of the program either', async () => {
  const full = `DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '53100'; END $$`;
  const asked = await Promise.allSettled([
    pool.query(full),
    db.$executeRawUnsafe(full),
    db.$transaction((tx) => tx.$executeRawUnsafe(full)),
  ]);
  for (const outcome of asked) {
    const error: unknown = outcome.status === 'rejected' ? outcome.reason : null;
    expect(describeError(error)).toMatchObject({ reason: 'NOT_READY', status: 503 });
  }
});

test('whatever waits too long for a connection or a row may be tried again', async () => {
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: env.DATABASE_URL, max: 1 }) });
  const asked = await prisma.$transaction(async () => {
    // The only connection is taken.
    const [unstarted] = await Promise.allSettled([prisma.$transaction((tx) => tx.user.findFirst(), { maxWait: 1 })]);
    return unstarted;
  });
  const [expired] = await Promise.allSettled([
    db.$transaction((tx) => tx.$queryRaw`SELECT pg_sleep(0.2)::text`.then(() => tx.user.findFirst()), { timeout: 1 }),
  ]);
  for (const outcome of [asked, expired]) {
    const cause: unknown = outcome?.status === 'rejected' ? outcome.reason : null;
    for (const error of [cause, new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause })]) {
      expect(describeError(error), String(error)).toMatchObject({ reason: 'OVERLOADED', status: 503, retryAfter: 3 });
    }
  }
  await prisma.$disconnect();
});

test('any other failure stays an internal one', () => {
  for (const error of [new Error('boom'), new TypeError('x is undefined'), { code: '23505' }, null]) {
    expect(describeError(error)).toMatchObject({ reason: 'INTERNAL', status: 500 });
  }
});

test.each([
  ['FORBIDDEN', 403, 'FORBIDDEN'],
  ['CONFLICT', 409, 'CONFLICT'],
  ['TOO_MANY_REQUESTS', 429, 'TOO_MANY_ATTEMPTS'],
  ['SERVICE_UNAVAILABLE', 503, 'NOT_READY'],
  ['PAYMENT_REQUIRED', 402, 'PAYMENT_REQUIRED'],
  ['TIMEOUT', 408, 'TIMEOUT'],
  ['PRECONDITION_FAILED', 412, 'PRECONDITION_FAILED'],
  ['UNPROCESSABLE_CONTENT', 422, 'UNPROCESSABLE_CONTENT'],
  ['CLIENT_CLOSED_REQUEST', 499, 'CLIENT_CLOSED_REQUEST'],
  ['NOT_IMPLEMENTED', 501, 'NOT_IMPLEMENTED'],
  ['GATEWAY_TIMEOUT', 504, 'GATEWAY_TIMEOUT'],
  ['INTERNAL_SERVER_ERROR', 500, 'INTERNAL'],
] as const)('a TRPCError %s is %i and does not show its own message', (code, status, reason) => {
  const described = describeError(new TRPCError({ code, message: 'row 7 of table "user"' }));
  expect(described).toMatchObject({ status, reason });
  expect(described.message).not.toContain('table');
});

test("a refusal with a status that tRPC has no code for is the caller's fault below 500", () => {
  Object.assign(reasons, { GONE: { status: 410, message: 'Gone' } });
  const refusal = refuse('GONE' as Reason);
  expect(refusal.code).toBe('BAD_REQUEST');
  expect(describeError(refusal)).toMatchObject({ reason: 'GONE', status: 410 });
});

test('a refusal lists at most a hundred issues', () => {
  const issues = Array.from({ length: 10_000 }, (_, at) => ({ path: `roster.${at}`, message: 'is there twice' }));
  expect(describeError(refuse('VALIDATION_FAILED', { issues })).issues).toEqual(issues.slice(0, 100));
});
