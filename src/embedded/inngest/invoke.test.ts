import { expect, test } from 'vitest';
import { readSteps } from '@/embedded/inngest/invoke';

test('a step that is stored twice counts once, with its first result', () => {
  const line = (id: string, data: unknown) => `${JSON.stringify({ id, type: 'data', data })}\n`;
  expect(readSteps(line('a', 1) + line('b', 'x\ny') + line('a', 2))).toEqual({
    steps: { a: { type: 'data', data: 1 }, b: { type: 'data', data: 'x\ny' } },
    stack: ['a', 'b'],
  });
});
