import { describe, expect, it } from 'vitest';
import { Handshakes } from '@/server/delivery/sending/handshakes';

function start() {
  let now = 0;
  const handshakes = new Handshakes(() => now);
  const request = (projectId: string, heldUpMs: number) => handshakes.begin(projectId)(heldUpMs);
  return { handshakes, request, later: (ms: number) => (now += ms) };
}

describe('handshakes that hold the process up', () => {
  it('leave a project that has ordinary ones alone, however many', () => {
    const { handshakes, request } = start();
    for (let count = 0; count < 1_000; count += 1) request('project', 4);
    expect(handshakes.waitMs('project')).toBe(0);
  });

  it('may happen now and then', () => {
    const { handshakes, request, later } = start();
    for (let count = 0; count < 100; count += 1) {
      request('project', 60);
      expect(handshakes.waitMs('project')).toBe(0);
      later(6_000);
    }
  });

  it.each([6, 17])('take a twentieth of the time of a project that keeps making them of %i ms', (ms) => {
    const { handshakes, request, later } = start();
    let tookMs = 0;
    for (let at = 0; at < 300_000; at += 20) {
      if (handshakes.waitMs('project') === 0) {
        request('project', ms);
        tookMs += ms;
      }
      expect(handshakes.waitMs('other')).toBe(0);
      later(20);
    }
    expect(tookMs).toBeGreaterThan(10_000);
    expect(tookMs).toBeLessThan(16_000);
  });

  it.each([
    { ms: 17, of: 'a tenth', from: 20_000, to: 42_000 },
    { ms: 57, of: 'a hundredth', from: 2_500, to: 6_000 },
  ])('of $ms ms take $of of the time in many projects together, and ordinary ones of others none of it', (row) => {
    const { handshakes, request, later } = start();
    const projects = Array.from({ length: 30 }, (_, at) => `project ${at}`);
    let tookMs = 0;
    for (let at = 0; at < 300_000; at += 20) {
      for (const project of projects) {
        if (handshakes.waitMs(project) > 0) continue;
        request(project, row.ms);
        tookMs += row.ms;
      }
      expect(handshakes.waitMs('other')).toBe(0);
      later(20);
    }
    expect(tookMs).toBeGreaterThan(row.from);
    expect(tookMs).toBeLessThan(row.to);
  });

  it('have no effect on a project with one among many ordinary ones, whatever others do', () => {
    const { handshakes, request, later } = start();
    for (let at = 0; at < 300_000; at += 100) {
      if (handshakes.waitMs('hostile') === 0) request('hostile', 95);
      expect(handshakes.waitMs('usual')).toBe(0);
      request('usual', at % 1_000 === 0 ? 25 : 2);
      later(100);
    }
  });

  it('are few where odd responses of many projects, each below its own share, are too many together', () => {
    const { handshakes, later } = start();
    const projects = Array.from({ length: 30 }, (_, at) => `project ${at}`);
    let odd = 0;
    for (let at = 0; at < 60_000; at += 200) {
      for (const project of projects) {
        if (handshakes.waitMs(project) > 0) continue;
        handshakes.begin(project)(5, true);
        odd += 1;
      }
      expect(handshakes.waitMs('other')).toBe(0);
      later(200);
    }
    // Twenty a second, and what may come at once.
    expect(odd).toBeLessThan(1_400);
  });

  it('come one at a time once there were many at once, also after a pause', () => {
    const { handshakes, request, later } = start();
    for (let count = 0; count < 30; count += 1) request('project', 100);
    expect(handshakes.waitMs('project')).toBeGreaterThan(10_000);
    expect(handshakes.waitMs('project')).toBeLessThanOrEqual(30_000);
    later(60_000);
    expect(handshakes.waitMs('project')).toBe(0);
    const ended = handshakes.begin('project');
    expect(handshakes.waitMs('project')).toBeGreaterThan(0);
    ended(0);
    expect(handshakes.waitMs('project')).toBe(0);
    later(600_000);
    const [one, two] = [handshakes.begin('project'), handshakes.begin('project')];
    expect(handshakes.waitMs('project')).toBe(0);
    one(0);
    two(0);
  });
});
