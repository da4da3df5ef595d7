import { callTRPCProcedure, TRPCError } from '@trpc/server';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Context, createContext } from '@/server/context';
import { refuse } from '@/server/errors';
import { publicProcedure, router } from '@/server/trpc';
import { callerOf } from './procedure-call';

const marked = publicProcedure
  .use(({ next }) => next({ ctx: { mark: 'outer', outer: true } }))
  .use(async ({ ctx, next }) => next({ ctx: { mark: `${ctx.mark}, inner` } }));

const tested = router({
  echo: marked
    .input(z.object({ text: z.string().trim(), count: z.number().default(3) }))
    .output(z.object({ text: z.string(), mark: z.string() }))
    .query(({ ctx, input }) => ({ text: input.text.repeat(input.count), mark: ctx.mark, secret: ctx.outer })),
  twoInputs: publicProcedure
    .use(async ({ type, getRawInput, next }) => next({ ctx: { type, raw: await getRawInput() } }))
    .input(z.object({ a: z.string() }))
    .input(z.object({ b: z.string() }))
    .mutation(({ ctx: { type, raw }, input, path }) => ({ input, path, type, raw })),
  wrongOutput: publicProcedure.output(z.object({ text: z.string() })).query(() => ({}) as { text: string }),
  refuses: publicProcedure.query(() => {
    throw refuse('NOT_FOUND');
  }),
  refusesBefore: publicProcedure
    .use(() => {
      throw refuse('FORBIDDEN');
    })
    .query(() => 'unreachable'),
  fails: publicProcedure.query(async () => {
    throw new RangeError('unexpected');
  }),
  nothing: publicProcedure.mutation(() => undefined),
});

const context = (): Context =>
  createContext({ requestId: 'req_1', ip: '127.0.0.1', transport: 'rest', setHeader: () => undefined });

/** What became of a call, with the parts of an error that the caller of a route sees. */
async function outcome(call: Promise<unknown>): Promise<unknown> {
  try {
    return { output: await call };
  } catch (error) {
    expect(error).toBeInstanceOf(TRPCError);
    const { code, message, cause } = error as TRPCError;
    return { code, message, cause };
  }
}

test.each([
  ['echo', { text: ' abc ' }],
  ['echo', { text: 'abc', count: 1, other: true }],
  ['echo', { count: 'many' }],
  ['echo', undefined],
  ['twoInputs', { a: '1', b: '2', c: '3' }],
  ['twoInputs', { a: '1' }],
  ['wrongOutput', undefined],
  ['refuses', undefined],
  ['refusesBefore', undefined],
  ['fails', undefined],
  ['nothing', {}],
] as const)('%s of %j does the same as through tRPC', async (path, input) => {
  const procedure = tested._def.procedures[path];
  const { type } = procedure._def;
  const ours = await outcome(callerOf(procedure, path)(context(), input));
  const theirs = await outcome(
    callTRPCProcedure({
      ...{ router: tested, path, type, ctx: context(), getRawInput: async () => input },
      ...{ signal: undefined, batchIndex: 0 },
    }),
  );
  expect(ours).toEqual(theirs);
});

test('an output has only the fields of its schema', async () => {
  const output = await callerOf(tested._def.procedures.echo, 'echo')(context(), { text: 'ab' });
  expect(output).toEqual({ text: 'ababab', mark: 'outer, inner' });
});
