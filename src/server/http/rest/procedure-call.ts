import { type AnyTRPCMiddlewareFunction, type AnyTRPCProcedure, getTRPCErrorFromUnknown } from '@trpc/server';
import type { Context } from '@/server/context';

type Result = Awaited<ReturnType<AnyTRPCMiddlewareFunction>>;
type Next = { ctx?: object; input?: unknown; getRawInput?: () => Promise<unknown> };

/** The parts of a procedure that tRPC's caller reads and its types do not show. */
type Definition = { middlewares: AnyTRPCMiddlewareFunction[]; meta: unknown };

/**
 * Runs a procedure with its middlewares on an input, as `callTRPCProcedure` does. That one copies options and context before
 * each of them by a helper for old engines, which takes as long as the rest of a small request.
 * @returns its output; rejects with a TRPCError
 */
export function callerOf(
  procedure: AnyTRPCProcedure,
  path: string,
): (ctx: Context, input: unknown) => Promise<unknown> {
  const { type } = procedure._def;
  const { middlewares, meta } = procedure._def as unknown as Definition;

  async function run(index: number, ctx: object, input: unknown, getRawInput: () => Promise<unknown>): Promise<Result> {
    const next = (changed?: Next) =>
      run(
        index + 1,
        // The context is of this call alone.
        changed?.ctx ? Object.assign(ctx, changed.ctx) : ctx,
        changed && 'input' in changed ? changed.input : input,
        changed?.getRawInput ?? getRawInput,
      );
    try {
      const middleware = middlewares[index];
      if (!middleware) throw new Error('A procedure ends with its resolver');
      return await middleware({ ctx, type, path, input, getRawInput, meta, signal: undefined, batchIndex: 0, next });
    } catch (cause) {
      return { ok: false, error: getTRPCErrorFromUnknown(cause) } as Result;
    }
  }

  return async (ctx, rawInput) => {
    const result = await run(0, ctx, undefined, async () => rawInput);
    if (!result.ok) throw result.error;
    return result.data;
  };
}
