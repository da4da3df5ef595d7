import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { choose } from '@/embedded/inngest/claim';
import { comparable, keyOf, parseCondition, parseKey, parseMatch, parseWhen } from '@/embedded/inngest/expressions';
import { readSteps } from '@/embedded/inngest/invoke';
import { checkpointed, type PlanInput, plan } from '@/embedded/inngest/plan';

const base: Omit<PlanInput, 'response'> = {
  kind: 'run',
  attempt: 0,
  maxAttempts: 4,
  backoff: (failed) => failed * 1000,
};
const answer = (status: number, body: unknown, headers: Record<string, string> = {}) => ({
  status,
  headers,
  body: JSON.stringify(body),
});
const ops = (...list: object[]) => plan({ ...base, response: answer(206, list) });

describe('plan', () => {
  test('a result ends the run', () => {
    const made = plan({ ...base, response: answer(200, { ok: true }) });
    expect(made).toMatchObject({ end: { status: 'completed', output: { ok: true } }, job: { type: 'done' } });
  });

  test('saved steps before the end are kept in order', () => {
    const made = ops(
      { id: 'a', op: 'StepRun', data: 1 },
      { id: 'b', op: 'StepRun' },
      { id: 'c', op: 'RunComplete', data: 2 },
    );
    expect(made.finished).toEqual([
      { id: 'a', type: 'data', data: 1 },
      { id: 'b', type: 'data', data: null },
    ]);
    expect(made.end).toEqual({ status: 'completed', output: 2 });
  });

  test('a lone sleep finishes the step and brings the call back at its end', () => {
    const made = ops({ id: 'a', op: 'Sleep', name: '1h30m' });
    expect(made.finished).toEqual([{ id: 'a', type: 'data', data: null }]);
    expect(made.job).toEqual({ type: 'requeue', kind: 'run', attempt: 0, when: { afterMs: 5_400_000 } });
    expect(made.pending).toEqual([]);
  });

  test('a wait is noted with its value, and a timeout is queued', () => {
    const made = ops({
      id: 'a',
      op: 'WaitForEvent',
      name: 'x/y',
      opts: { timeout: '1d', if: 'event.data.a == async.data.b' },
    });
    expect(made.waits).toEqual([
      { stepId: 'a', eventName: 'x/y', eventPath: 'data.a', asyncPath: 'data.b', when: { afterMs: 86_400_000 } },
    ]);
    expect(made.spawn).toEqual([{ kind: 'timeout', stepId: 'a', when: { afterMs: 86_400_000 } }]);
    expect([made.pending, made.job, made.parallel]).toEqual([['a'], { type: 'done' }, false]);
  });

  test.each([
    ['InvokeFunction', {}, 'step.invoke'],
    ['WaitForSignal', {}, 'step.waitForSignal'],
    ['AIGateway', {}, 'step.ai.infer'],
    ['Gateway', {}, 'step.fetch'],
    ['DeferAdd', {}, 'defer'],
    ['StepPlanned', { parallelMode: 'race' }, 'group.parallel'],
    ['WaitForEvent', { timeout: '1s', if: 'async.data.n > 3' }, 'async.data.n > 3'],
    ['SomethingNew', {}, 'SomethingNew'],
  ])('what is not supported fails the run by name: %s', (op, opts, name) => {
    const made = ops({ id: 'a', op, name: 'x', opts });
    expect(made.end).toMatchObject({ status: 'failed', error: { message: expect.stringContaining(name) } });
    expect([made.spawn, made.waits, made.pending]).toEqual([[], [], []]);
  });

  test('an answer that says so is final; Retry-After is kept to, in seconds and as a date', () => {
    const failure = { name: 'Error', message: 'no' };
    const final = plan({ ...base, response: answer(400, failure, { 'x-inngest-no-retry': 'true' }) });
    expect(final.end).toEqual({ status: 'failed', error: failure });
    const delayed = (value: string) =>
      plan({ ...base, response: answer(500, failure, { 'x-inngest-no-retry': 'false', 'retry-after': value }) }).job;
    expect(delayed('7')).toMatchObject({ type: 'requeue', kind: 'same', attempt: 1, when: { afterMs: 7000 } });
    expect(delayed('2030-01-02T03:04:05.000Z')).toMatchObject({ when: { at: '2030-01-02T03:04:05.000Z' } });
  });

  test('whatever comes back, a call is tried as often as it may be, and the run then fails', () => {
    const bodies = fc.oneof(
      fc.json(),
      fc.string(),
      fc.constant(JSON.stringify([{ id: 'a', op: 'StepError', error: {} }])),
    );
    const statuses = fc.constantFrom(206, 400, 404, 500, 502);
    fc.assert(
      fc.property(bodies, statuses, fc.nat(5), fc.integer({ min: 1, max: 6 }), (body, status, attempt, maxAttempts) => {
        const made = plan({ ...base, attempt, maxAttempts, response: { status, headers: {}, body } });
        if (made.job.type === 'requeue' && made.job.kind === 'same') {
          expect(made.end).toBeNull();
          expect(made.job.attempt).toBe(attempt + 1);
          expect(attempt + 1).toBeLessThan(maxAttempts);
        } else if (made.end?.status === 'failed' && status !== 206)
          expect(attempt + 1).toBeGreaterThanOrEqual(maxAttempts);
      }),
    );
  });

  test('each open step has one job, and what is finished has none', () => {
    const op = fc.record({
      id: fc.uuid(),
      op: fc.constantFrom('StepRun', 'StepFailed', 'StepPlanned', 'Sleep', 'WaitForEvent'),
    });
    fc.assert(
      fc.property(fc.array(op, { minLength: 1, maxLength: 8 }), (list) => {
        const made = ops(...list.map((one) => ({ ...one, name: '5s', opts: { timeout: '5s' } })));
        const open = list.filter((one) => !one.op.startsWith('StepRun') && one.op !== 'StepFailed');
        const lone = open.length === 1 && open[0]?.op === 'Sleep';
        expect(made.spawn.map((job) => job.stepId)).toEqual(lone ? [] : open.map((one) => one.id));
        expect(made.pending).toEqual(lone ? [] : open.map((one) => one.id));
        expect(made.finished).toHaveLength(list.length - open.length + (lone ? 1 : 0));
        expect(made.job.type).toBe(lone || open.length === 0 ? 'requeue' : 'done');
        expect(made.waits).toHaveLength(open.filter((one) => one.op === 'WaitForEvent').length);
      }),
    );
  });

  test('only finished steps can be saved in the middle of a call', () => {
    expect(checkpointed([{ id: 'a', op: 'StepRun', data: 1 }])?.job).toEqual({ type: 'keep' });
    for (const wrong of [null, [], {}, [{ id: 'a', op: 'Sleep' }], [{ op: 'StepRun' }]]) {
      expect(checkpointed(wrong)).toBeNull();
    }
  });
});

describe('choose', () => {
  const limits: Record<string, number> = { a: 1, b: 2, c: 5, all: 7 };
  const job = fc
    .record({ keys: fc.subarray(['a', 'b', 'c', 'all']), held: fc.boolean() })
    .map(({ keys, held }) => ({ keys, held, limits: keys.map((key) => limits[key] ?? 0) }));

  test('never gives out more slots than there are, in order, and parks only on full keys', () => {
    fc.assert(
      fc.property(
        fc.array(job, { maxLength: 40 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c', 'all'), fc.nat(8)),
        fc.nat(20),
        (jobs, busy, room) => {
          const candidates = jobs.map((one, index) => ({ ...one, id: String(index) }));
          const counts = new Map(Object.entries(busy));
          const { granted, parked } = choose(candidates, counts, room);
          expect(granted.length).toBeLessThanOrEqual(room);
          for (const [key, limit] of Object.entries(limits)) {
            const given = candidates.filter(
              (one) => granted.includes(one.id) && !one.held && one.keys.includes(key),
            ).length;
            if (given > 0) expect((busy[key] ?? 0) + given).toBeLessThanOrEqual(limit);
          }
          for (const { id, key } of parked) {
            expect(counts.get(key) ?? 0).toBeGreaterThanOrEqual(limits[key] ?? 0);
            expect(candidates[Number(id)]?.held).toBe(false);
          }
          const seen = new Set([...granted, ...parked.map((one) => one.id)]);
          const left = candidates.filter((one) => !seen.has(one.id));
          if (left.length > 0) expect(granted.length).toBe(room);
          expect(Math.min(...left.map((one) => Number(one.id)))).toBeGreaterThanOrEqual(seen.size);
        },
      ),
    );
  });
});

describe('expressions', () => {
  test('paths and constants are understood, anything else is not', () => {
    expect(parseKey('event.data.subscriptionId')).toEqual({ path: 'data.subscriptionId' });
    expect(parseKey('"global"')).toEqual({ constant: 'global' });
    expect(parseMatch('event.data.a == async.data.b')).toEqual({ eventPath: 'data.a', asyncPath: 'data.b' });
    expect(parseCondition("event.data.kind == 'x'")).toEqual({ path: 'data.kind', value: 'x' });
    for (const text of ['event.data.a + "-"', 'event.data["a"]', 'event.', '', 'async.data.a', 'event.data.a || 1']) {
      expect([parseKey(text), parseMatch(text), parseCondition(text)]).toEqual([null, null, null]);
    }
  });

  test('values compare as JSON does, whatever the order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
        const [a, b]: [unknown, unknown] = [JSON.parse(JSON.stringify(left)), JSON.parse(JSON.stringify(right))];
        expect(comparable(a) === comparable(b)).toBe(isDeepStrictEqual(a, b));
        expect(comparable({ a, b })).toBe(comparable({ b, a }));
        expect(comparable(a)?.length).toBeLessThanOrEqual(200);
      }),
    );
    expect(comparable(1)).not.toBe(comparable('1'));
    expect(comparable(undefined)).toBeNull();
  });

  test('a key that is not there is one of its own', () => {
    expect(keyOf({ path: 'data.missing' }, { data: {} })).toBe('null');
  });

  test('times are read as the SDK writes them', () => {
    const unit = { w: 604_800, d: 86_400, h: 3600, m: 60, s: 1 };
    const parts = fc.tuple(fc.nat(9), fc.nat(6), fc.nat(23), fc.nat(59), fc.nat(59));
    fc.assert(
      fc.property(parts, (numbers) => {
        const named = Object.entries(unit).map(([name, seconds], index) => ({
          name,
          seconds,
          count: numbers[index] ?? 0,
        }));
        const text = named.map(({ name, count }) => (count > 0 ? `${count}${name}` : '')).join('');
        const afterMs = named.reduce((sum, { seconds, count }) => sum + seconds * count * 1000, 0);
        expect(parseWhen(text)).toEqual({ afterMs });
      }),
    );
    expect(parseWhen('2030-01-01T00:00:00.000Z')).toEqual({ at: '2030-01-01T00:00:00.000Z' });
    expect(parseWhen('+010000-01-01T00:00:00.000Z')).toEqual({ at: '9999-01-01T00:00:00.000Z' });
    for (const text of ['soon', '5', '1s ', '-1s', '2030']) expect(parseWhen(text)).toBeNull();
  });
});

test('a step that is stored twice counts once, as it was first', () => {
  const line = (id: string, data: unknown) => `${JSON.stringify({ id, type: 'data', data })}\n`;
  expect(readSteps(line('a', 1) + line('b', 'x\ny') + line('a', 2))).toEqual({
    steps: { a: { type: 'data', data: 1 }, b: { type: 'data', data: 'x\ny' } },
    stack: ['a', 'b'],
  });
});
