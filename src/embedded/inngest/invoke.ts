import { type Inngest, InngestCommHandler, type InngestFunction } from 'inngest';
import type { LeasedJob } from '@/embedded/inngest/claim';

type Call = { url: URL; method: 'POST' | 'PUT'; headers: Record<string, string>; body: unknown };
type CallResponse = { status: number; headers: Record<string, string>; body: string };

/** Calls functions through the SDK's own handler, without HTTP. */
export type Invoker = {
  /** The functions as the SDK registers them. @throws Error when the SDK rejects them */
  configs(): Promise<unknown>;
  /** One call of a job's function. Never throws: an error becomes a response with status 500. */
  call(job: LeasedJob, maxAttempts: number, queueItemId: string): Promise<CallResponse>;
};

const ORIGIN = 'http://embedded.invalid/api/inngest';

/** Reads the lines of a run's steps. A line can occur twice after a lost connection; the first counts. */
export function readSteps(lines: string): { steps: Record<string, object>; stack: string[] } {
  const steps: Record<string, object> = {};
  const stack: string[] = [];
  for (const line of lines.split('\n')) {
    if (line === '') continue;
    const { id, ...result }: { id: string } & object = JSON.parse(line);
    if (Object.hasOwn(steps, id)) continue;
    steps[id] = result;
    stack.push(id);
  }
  return { steps, stack };
}

export function createInvoker(client: Inngest.Any, functions: readonly InngestFunction.Any[]): Invoker {
  const handler = new InngestCommHandler({
    frameworkName: 'nodejs',
    client,
    functions,
    handler: (call: Call) => ({
      body: () => call.body,
      headers: (name: string) => call.headers[name.toLowerCase()],
      method: () => call.method,
      url: () => call.url,
      transformResponse: (response): CallResponse => response,
    }),
  }).createHandler() as (call: Call) => Promise<CallResponse>;
  const urls = new Map<string, URL>();
  const headers = { host: 'embedded.invalid', 'content-type': 'application/json' };

  const urlOf = (functionId: string, stepId: string): URL => {
    const query = new URLSearchParams({ fnId: functionId, stepId });
    // There is no limit to step ids, so only the URLs of whole functions are cached.
    if (stepId !== 'step') return new URL(`${ORIGIN}?${query}`);
    const known = urls.get(functionId) ?? new URL(`${ORIGIN}?${query}`);
    urls.set(functionId, known);
    return known;
  };

  return {
    async configs() {
      const sync = { ...headers, 'x-inngest-sync-kind': 'in_band' };
      const response = await handler({ url: new URL(ORIGIN), method: 'PUT', headers: sync, body: { url: ORIGIN } });
      const parsed: { functions?: unknown; message?: string } = JSON.parse(response.body);
      if (response.status !== 200)
        throw new Error(`The SDK does not list its functions: ${response.status} ${response.body}`);
      return parsed.functions;
    },
    async call(job, maxAttempts, queueItemId) {
      try {
        const event: unknown = JSON.parse(job.event);
        const { steps, stack } = readSteps(job.steps);
        const body = {
          version: -1,
          event,
          events: [event],
          steps,
          ctx: {
            run_id: job.runId,
            fn_id: job.functionId,
            qi_id: queueItemId,
            attempt: job.attempt,
            max_attempts: maxAttempts,
            stack: { stack, current: stack.length },
            disable_immediate_execution: job.parallel,
            use_api: false,
          },
        };
        const url = urlOf(job.functionId, job.kind === 'step' ? (job.stepId ?? 'step') : 'step');
        return await handler({ url, method: 'POST', headers, body });
      } catch (error) {
        const message = error instanceof Error ? error.message : 'The call failed';
        return { status: 500, headers: {}, body: JSON.stringify({ name: 'Error', message, stack: '' }) };
      }
    },
  };
}
