import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createResolve } from '@/server/delivery/outbound/resolve';

const answer = [{ address: '192.0.2.1', family: 4 }];

describe('resolving names', () => {
  it('concurrent calls for a name share one look-up; a later call makes another', async () => {
    const asked: string[] = [];
    const resolve = createResolve(async (name) => {
      asked.push(name);
      await pause(10);
      return answer;
    });
    await Promise.all([resolve('a.test'), resolve('a.test'), resolve('b.test'), resolve('a.test')]);
    expect(asked).toEqual(['a.test', 'b.test']);
    expect(await resolve('a.test')).toEqual(answer);
    expect(asked).toHaveLength(3);
  });

  it('looks up two names at a time, and continues after a failure', async () => {
    let running = 0;
    let most = 0;
    const resolve = createResolve(async (name) => {
      running += 1;
      most = Math.max(most, running);
      await pause(5);
      running -= 1;
      if (name === '3.test') throw new Error('ENOTFOUND');
      return answer;
    });
    const results = await Promise.allSettled(Array.from({ length: 9 }, (_, index) => resolve(`${index}.test`)));
    expect(most).toBe(2);
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(8);
    await expect(resolve('3.test')).rejects.toThrow('ENOTFOUND');
  });

  it('names whose server hangs do not delay others once they are known to be slow', async () => {
    const ends: (() => void)[] = [];
    let hanging = false;
    const resolve = createResolve(async (name) => {
      if (!name.startsWith('slow')) return answer;
      if (hanging) await new Promise<void>((end) => ends.push(end));
      else await pause(1_050);
      return answer;
    });
    const slow = ['slow-1.test', 'slow-2.test', 'slow-3.test'];
    await Promise.all(slow.map(resolve));
    hanging = true;
    const stuck = slow.map(resolve);
    for (let index = 0; index < 5; index += 1) expect(await resolve(`prompt-${index}.test`)).toEqual(answer);
    expect(ends).toHaveLength(1);
    for (let ended = 0; ended < slow.length; ended += 1) {
      while (ends.length === 0) await pause(1);
      ends.shift()?.();
    }
    await Promise.all(stuck);
  });
});
