import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkpointedSteps, type PlanInput, plan } from '@/embedded/inngest/plan';

const base: Omit<PlanInput, 'response'> = {
  kind: 'run',
  attempt: 0,
  maxAttempts: 4,
  backoff: (failed) => failed * 1000,
};
const respond = (status: number, body: unknown, headers: Record<string, string> = {}) => ({
  status,
  headers,
  body: JSON.stringify(body),
});
const ops = (...list: object[]) => plan({ ...base, response: respond(206, list) });

describe('plan', () => {
  test('a result ends the run', () => {
    const result = plan({ ...base, response: respond(200, { ok: true }) });
    expect(result).toMatchObject({ end: { status: 'completed', output: { ok: true } }, job: { type: 'done' } });
  });

  test('steps saved before the end are stored in order', () => {
    const result = ops(
      { id: 'a', op: 'StepRun', data: 1 },
      { id: 'b', op: 'StepRun' },
      { id: 'c', op: 'RunComplete', data: 2 },
    );
    expect(result.finished).toEqual([
      { id: 'a', type: 'data', data: 1 },
      { id: 'b', type: 'data', data: null },
    ]);
    expect(result.end).toEqual({ status: 'completed', output: 2 });
  });

  test('a single sleep finishes its step and requeues the call for its end', () => {
    const result = ops({ id: 'a', op: 'Sleep', name: '1h30m' });
    expect(result.finished).toEqual([{ id: 'a', type: 'data', data: null }]);
    expect(result.job).toEqual({ type: 'requeue', kind: 'run', attempt: 0, when: { afterMs: 5_400_000 } });
    expect(result.pending).toEqual([]);
  });

  test('a wait is stored with its value, and a timeout is queued', () => {
    const result = ops({
      id: 'a',
      op: 'WaitForEvent',
      name: 'x/y',
      opts: { timeout: '1d', if: 'event.data.a == async.data.b' },
    });
    expect(result.waits).toEqual([
      { stepId: 'a', eventName: 'x/y', eventPath: 'data.a', asyncPath: 'data.b', when: { afterMs: 86_400_000 } },
    ]);
    expect(result.spawn).toEqual([{ kind: 'timeout', stepId: 'a', when: { afterMs: 86_400_000 } }]);
    expect([result.pending, result.job, result.parallel]).toEqual([['a'], { type: 'done' }, false]);
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
  ])('an unsupported operation fails the run with its name: %s', (op, opts, name) => {
    const result = ops({ id: 'a', op, name: 'x', opts });
    expect(result.end).toMatchObject({ status: 'failed', error: { message: expect.stringContaining(name) } });
    expect([result.spawn, result.waits, result.pending]).toEqual([[], [], []]);
  });

  test('a response can end retries; Retry-After delays them, in seconds or as a date', () => {
    const failure = { name: 'Error', message: 'no' };
    const final = plan({ ...base, response: respond(400, failure, { 'x-inngest-no-retry': 'true' }) });
    expect(final.end).toEqual({ status: 'failed', error: failure });
    const delayed = (value: string) =>
      plan({ ...base, response: respond(500, failure, { 'x-inngest-no-retry': 'false', 'retry-after': value }) }).job;
    expect(delayed('7')).toMatchObject({ type: 'requeue', kind: 'same', attempt: 1, when: { afterMs: 7000 } });
    expect(delayed('2030-01-02T03:04:05.000Z')).toMatchObject({ when: { at: '2030-01-02T03:04:05.000Z' } });
  });

  test('whatever the response, a call is attempted as often as configured, and then the run fails', () => {
    const bodies = fc.oneof(
      fc.json(),
      fc.string(),
      fc.constant(JSON.stringify([{ id: 'a', op: 'StepError', error: {} }])),
    );
    const statuses = fc.constantFrom(206, 400, 404, 500, 502);
    fc.assert(
      fc.property(bodies, statuses, fc.nat(5), fc.integer({ min: 1, max: 6 }), (body, status, attempt, maxAttempts) => {
        const result = plan({ ...base, attempt, maxAttempts, response: { status, headers: {}, body } });
        if (result.job.type === 'requeue' && result.job.kind === 'same') {
          expect(result.end).toBeNull();
          expect(result.job.attempt).toBe(attempt + 1);
          expect(attempt + 1).toBeLessThan(maxAttempts);
        } else if (result.end?.status === 'failed' && status !== 206)
          expect(attempt + 1).toBeGreaterThanOrEqual(maxAttempts);
      }),
    );
  });

  test('each open step has one job, and finished steps have none', () => {
    const op = fc.record({
      id: fc.uuid(),
      op: fc.constantFrom('StepRun', 'StepFailed', 'StepPlanned', 'Sleep', 'WaitForEvent'),
    });
    fc.assert(
      fc.property(fc.array(op, { minLength: 1, maxLength: 8 }), (list) => {
        const result = ops(...list.map((one) => ({ ...one, name: '5s', opts: { timeout: '5s' } })));
        const open = list.filter((one) => !one.op.startsWith('StepRun') && one.op !== 'StepFailed');
        const lone = open.length === 1 && open[0]?.op === 'Sleep';
        expect(result.spawn.map((job) => job.stepId)).toEqual(lone ? [] : open.map((one) => one.id));
        expect(result.pending).toEqual(lone ? [] : open.map((one) => one.id));
        expect(result.finished).toHaveLength(list.length - open.length + (lone ? 1 : 0));
        expect(result.job.type).toBe(lone || open.length === 0 ? 'requeue' : 'done');
        expect(result.waits).toHaveLength(open.filter((one) => one.op === 'WaitForEvent').length);
      }),
    );
  });

  test('only finished steps can be saved in the middle of a call', () => {
    expect(checkpointedSteps([{ id: 'a', op: 'StepRun', data: 1 }])?.job).toEqual({ type: 'keep' });
    for (const wrong of [null, [], {}, [{ id: 'a', op: 'Sleep' }], [{ op: 'StepRun' }]]) {
      expect(checkpointedSteps(wrong)).toBeNull();
    }
  });
});
