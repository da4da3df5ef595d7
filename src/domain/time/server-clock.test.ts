import { beforeEach, describe, expect, it, vi } from 'vitest';

describe('the server clock', () => {
  let clock: typeof import('@/domain/time/server-clock');

  beforeEach(async () => {
    vi.resetModules();
    clock = await import('@/domain/time/server-clock');
  });

  const header = (time: number) => new Date(Math.floor(time / 1000) * 1000).toUTCString();

  it('assumes no difference while the clocks may agree', () => {
    clock.observeServerTime(header(1_000_600), 1_000_500, 1_000_700);
    expect(clock.clockOffset()).toBe(0);
  });

  it('measures the difference more exactly with every response', () => {
    const wrongBy = 90_000;
    for (const local of [1_000_000, 1_010_350, 1_020_720, 1_030_910]) {
      clock.observeServerTime(header(local + wrongBy), local - 20, local + 20);
    }
    expect(Math.abs(clock.clockOffset() - wrongBy)).toBeLessThan(200);
  });

  it('starts over when the local clock is changed', () => {
    clock.observeServerTime(header(2_000_000), 2_000_000, 2_000_010);
    clock.observeServerTime(header(2_060_000), 2_000_000, 2_000_010);
    expect(clock.clockOffset()).toBeGreaterThan(59_000);
  });

  it('ignores a response without a date', () => {
    clock.observeServerTime(null, 0, 1);
    expect(clock.clockOffset()).toBe(0);
  });
});
