import { eventType, Inngest, NonRetriableError, RetryAfterError, staticSchema } from 'inngest';
import { createEmbeddedTransport } from '@/server/jobs/embedded/transport';

/** Functions that use what Inngest promises, and record what they saw. */

/** A real server, when the tests run against one. */
export const server = process.env.CONFORMANCE_SERVER;
export const connectionString = process.env.DATABASE_URL ?? '';
export const transport = createEmbeddedTransport(() => connectionString);
export const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const eventKey = process.env.CONFORMANCE_EVENT_KEY;
const signingKey = process.env.CONFORMANCE_SIGNING_KEY;
export const client = new Inngest({
  id: `conformance-${process.pid}`,
  isDev: signingKey === undefined,
  logger: quiet,
  ...(server ? { baseUrl: server, eventKey, signingKey } : { fetch: transport.fetch }),
});

type Data = { key: string; [name: string]: unknown };
const on = <Name extends string>(name: Name) => eventType(name, { schema: staticSchema<Data>() });

/** What functions recorded, by the key of their event. */
const notes = new Map<string, unknown[]>();
const note = (key: string, value: unknown) => notes.set(key, [...(notes.get(key) ?? []), value]);
export const noted = (key: string) => notes.get(key) ?? [];

const sequence = client.createFunction({ id: 'sequence', triggers: [on('c/sequence')] }, async ({ event, step }) => {
  const { key } = event.data;
  const one = await step.run('one', () => {
    note(key, 'one');
    return { value: 1, absent: undefined, text: 'NUL \u0000, ü' };
  });
  const two = await step.run('two', () => {
    note(key, 'two');
    return one.value + 1;
  });
  await step.run('three', () => note(key, { one, two }));
});

const nothing = client.createFunction({ id: 'nothing', triggers: [on('c/nothing')] }, async ({ event, step }) => {
  const value = await step.run('undefined', () => undefined);
  await step.run('note', () => note(event.data.key, value));
});

const again = client.createFunction({ id: 'again', triggers: [on('c/again')] }, async ({ event, step }) => {
  const sum: number[] = [];
  for (let index = 0; index < 4; index += 1) sum.push(await step.run('same', () => index * 10));
  await step.run('note', () => note(event.data.key, sum));
});

const sleeper = client.createFunction({ id: 'sleeper', triggers: [on('c/sleep')] }, async ({ event, step }) => {
  const { key } = event.data;
  const begin = await step.run('begin', () => Date.now());
  await step.sleep('nap', '1s');
  const middle = await step.run('middle', () => Date.now());
  await step.sleepUntil('until', new Date(begin + 2500));
  await step.sleepUntil('past', new Date(begin - 1000));
  await step.run('note', () => note(key, [middle - begin, Date.now() - begin]));
});

const waiter = client.createFunction({ id: 'waiter', triggers: [on('c/wait')] }, async ({ event, step }) => {
  const { key, timeout } = event.data;
  await step.run('ready', () => note(key, 'ready'));
  const answer = await step.waitForEvent('answer', {
    event: 'c/answer',
    match: 'data.key',
    timeout: String(timeout),
  });
  await step.run('note', () => note(key, answer === null ? null : answer.data.says));
});

const opener = client.createFunction({ id: 'opener', triggers: [on('c/breaker')] }, async ({ event, step }) => {
  const { key } = event.data;
  for (let round = 0; round < 5; round += 1) {
    const open = await step.run(`check-${round}`, () => {
      note(key, 'check');
      return noted(key).filter((one) => one === 'check').length < 3;
    });
    if (!open) break;
    await step.waitForEvent(`closed-${round}`, { event: 'c/closed', match: 'data.key', timeout: '60s' });
  }
  await step.run('note', () => note(key, 'closed'));
});

const sender = client.createFunction({ id: 'sender', triggers: [on('c/send')] }, async ({ event, step }) => {
  const { key } = event.data;
  const sent = await step.sendEvent('forward', [
    { name: 'c/sent', data: { key, number: 1 } },
    { name: 'c/sent', data: { key, number: 2 } },
  ]);
  await step.run('note', () => note(key, sent.ids.length));
});
const received = client.createFunction({ id: 'received', triggers: [on('c/sent')] }, async ({ event, step }) => {
  await step.run('note', () => note(event.data.key, `number ${event.data.number}`));
});

const stubborn = client.createFunction(
  { id: 'stubborn', retries: 3, triggers: [on('c/retry')] },
  async ({ event, step, attempt }) => {
    const { key } = event.data;
    await step.run('before', () => note(key, 'before'));
    await step.run('stubborn', () => {
      note(key, `step ${attempt}`);
      if (attempt < 2) throw new RetryAfterError('not yet', '1s');
    });
    if (noted(key).filter((one) => one === 'outside').length < 1) {
      note(key, 'outside');
      throw new RetryAfterError('not yet', '1s');
    }
    await step.run('note', () => note(key, 'end'));
  },
);

const final = client.createFunction(
  {
    id: 'final',
    retries: 3,
    triggers: [on('c/final')],
    onFailure: async ({ event, error, step }) => {
      const original = event.data.event.data;
      const runId = typeof event.data.run_id;
      await step.run('failed', () => note(original.key, { error: error.message, runId, kept: original.extra }));
    },
  },
  async ({ event }) => {
    note(event.data.key, 'tried');
    throw new NonRetriableError('never again');
  },
);

const exhausted = client.createFunction(
  {
    id: 'exhausted',
    retries: 1,
    triggers: [on('c/exhausted')],
    onFailure: ({ event, error }) => void note(event.data.event.data.key, error.message),
  },
  async ({ event, step, attempt }) => {
    await step.run('fail', () => {
      note(event.data.key, attempt);
      throw new RetryAfterError('worn out', '1s');
    });
  },
);

const catcher = client.createFunction(
  { id: 'catcher', retries: 0, triggers: [on('c/catch')] },
  async ({ event, step }) => {
    const caught = await step
      .run('fail', (): string => {
        throw new TypeError('broken');
      })
      .catch((error: Error) => error.message);
    await step.run('note', () => note(event.data.key, caught));
  },
);

const parallel = client.createFunction({ id: 'parallel', triggers: [on('c/parallel')] }, async ({ event, step }) => {
  const { key } = event.data;
  const chain = async (name: string) => {
    const first = await step.run(`${name}-1`, () => {
      note(key, `${name}-1`);
      return name;
    });
    return step.run(`${name}-2`, () => {
      note(key, `${name}-2`);
      return `${first}!`;
    });
  };
  const results = await Promise.all([
    chain('a'),
    chain('b'),
    step.sleep('nap', '1s'),
    step.waitForEvent('never', { event: 'c/never', timeout: '1s' }),
    step.run('fail', () => Promise.reject(new NonRetriableError('c'))).catch((error: Error) => error.message),
  ]);
  await step.run('note', () =>
    note(
      key,
      results.map((result) => result ?? null),
    ),
  );
  await step.run('after', () => note(key, 'after'));
});

/** How many runs occupy a name now, and the most that ever did. */
export const running = new Map<string, { now: number; most: number }>();
async function occupy(name: string, ms: number): Promise<void> {
  const entry = running.get(name) ?? { now: 0, most: 0 };
  running.set(name, entry);
  entry.now += 1;
  entry.most = Math.max(entry.most, entry.now);
  await new Promise((resolve) => setTimeout(resolve, ms));
  entry.now -= 1;
}
const limited = client.createFunction(
  { id: 'limited', triggers: [on('c/limited')], concurrency: [{ limit: 2, key: 'event.data.group' }, { limit: 5 }] },
  async ({ event, step }) => {
    const { key, group } = event.data;
    await step.run('work', () => Promise.all([occupy(`group ${group}`, 100), occupy('all', 100)]).then(() => null));
    await step.run('note', () => note(key, group));
  },
);

const cancellable = client.createFunction(
  { id: 'cancellable', triggers: [on('c/cancellable')], cancelOn: [{ event: 'c/cancel', match: 'data.key' }] },
  async ({ event, step }) => {
    await step.run('begin', () => note(event.data.key, 'begin'));
    await step.sleep('nap', '8s');
    await step.run('end', () => note(event.data.key, 'end'));
  },
);

const once = client.createFunction(
  { id: 'once', triggers: [on('c/once')], idempotency: 'event.data.order' },
  async ({ event, step }) => {
    await step.run('note', () => note(event.data.key, event.data.order));
  },
);

const picky = client.createFunction(
  { id: 'picky', triggers: [{ event: on('c/picky'), if: "event.data.kind == 'good'" }, { event: on('c/other') }] },
  async ({ event, step }) => {
    await step.run('note', () => note(event.data.key, [event.name, event.data.kind ?? null]));
  },
);

export const functions = [
  ...[sequence, nothing, again, sleeper, waiter, opener, sender, received, stubborn, final, exhausted, catcher],
  ...[parallel, limited, cancellable, once, picky],
];
