import { describe, expect, it, vi } from 'vitest';
import { type Lane, Slots } from '@/server/delivery/sending/slots';

/** No project has slots beyond a full lane. */
const none = { each: 0, fresh: 0, ofTurn: 99, freshOfTurn: 0 };
/** A project with a turn of its own, or with that of others. */
const own = (projectId: string, turn = projectId) => ({ projectId, turn });
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('slots', () => {
  it('a project has at most half of a lane, and others the rest at once', () => {
    const slots = new Slots({ quick: 8, slow: 4, fresh: 48 }, none);
    const take = (project: string) => slots.take('quick', own(project), {}, () => undefined);
    expect(Array.from({ length: 8 }, () => take('greedy')).filter(Boolean)).toHaveLength(4);
    expect(Array.from({ length: 8 }, () => take('other')).filter(Boolean)).toHaveLength(4);
    expect(take('third')).toBeNull();
  });

  it('a slot that becomes free goes to the project with the fewest requests under way', async () => {
    const slots = new Slots({ quick: 4, slow: 4, fresh: 48 }, none);
    const woken: string[] = [];
    const ask = (project: string) => slots.take('quick', own(project), {}, () => woken.push(project));
    const [first] = [ask('one'), ask('one'), ask('two'), ask('two')];
    if (!first) throw new Error('No slot');
    ask('two');
    ask('three');
    slots.release(first);
    await settle();
    expect(woken).toEqual(['three']);
  });

  it('requests that take long leave their slots to others', () => {
    const slots = new Slots({ quick: 2, slow: 4, fresh: 48 }, none);
    const slot = slots.take('quick', own('a'), {}, () => undefined);
    if (!slot) throw new Error('No slot');
    expect(slots.take('quick', own('a'), {}, () => undefined)).toBeNull();
    slots.move(slot, 'slow');
    expect(slots.take('quick', own('a'), {}, () => undefined)).not.toBeNull();
    expect(slot.lane).toBe('slow');
  });

  it('a queue that leaves passes on the slot that it was woken for', async () => {
    const slots = new Slots({ quick: 2, slow: 2, fresh: 48 }, none);
    const woken: string[] = [];
    const [a, b] = [
      slots.take('quick', own('a'), {}, () => undefined),
      slots.take('quick', own('b'), {}, () => undefined),
    ];
    if (!a || !b) throw new Error('No slot');
    const leaving = {};
    slots.take('quick', own('c'), leaving, () => slots.leave(leaving));
    slots.take('quick', own('d'), {}, () => woken.push('d'));
    slots.release(a);
    await settle();
    expect(woken).toEqual(['d']);
  });

  it('projects that hold a whole lane together keep none of the first slots of another one', async () => {
    const slots = new Slots({ quick: 4, slow: 4, fresh: 48 }, { ...none, each: 1 });
    const woken: string[] = [];
    const take = (project: string) => slots.take('slow', own(project), {}, () => woken.push(project));
    for (const project of ['one', 'one', 'two', 'two']) expect(take(project)).not.toBeNull();
    expect(take('two')).toBeNull();
    const third = take('third');
    expect(third).not.toBeNull();
    expect(take('third')).toBeNull();
    for (const project of ['fourth', 'fifth']) expect(take(project)).not.toBeNull();
    if (third) slots.release(third);
    await settle();
    expect(woken).toEqual(['third']);
  });

  it('a project has only so many under way in both lanes, however long they take, and others as many', async () => {
    const slots = new Slots({ quick: 8, slow: 4, fresh: 48 }, { ...none, each: 1, fresh: 48, freshOfTurn: 48 }, 6);
    const woken: string[] = [];
    const take = (project: string, lane: Lane = 'quick') =>
      slots.take(lane, own(project), {}, () => woken.push(`${project} ${lane}`));
    const begun = (project: string) =>
      Array.from({ length: 20 }, () => {
        const slot = take(project);
        if (slot) slots.move(slot, 'slow');
        return slot;
      }).filter((slot) => slot !== null);
    const [first] = begun('greedy');
    expect([begun('greedy'), take('greedy', 'slow')]).toEqual([[], null]);
    expect(begun('other')).toHaveLength(6);
    expect(take('third', 'slow')).not.toBeNull();
    await settle();
    expect(woken).toEqual([]);
    if (first) slots.release(first);
    await settle();
    expect(woken).toHaveLength(1);
  });

  it('few requests begin at once, and the others when those have ended or taken a while', async () => {
    const slots = new Slots({ quick: 8, slow: 8, fresh: 4 }, { ...none, fresh: 1, freshOfTurn: 1 });
    const woken: string[] = [];
    const take = (project: string, lane: Lane = 'quick') =>
      slots.take(lane, own(project), {}, () => woken.push(project));
    const [first] = [take('one'), take('one')];
    expect(take('one')).toBeNull();
    expect([take('two'), take('two')]).not.toContain(null);
    // Each project may begin one.
    expect(take('three', 'slow')).not.toBeNull();
    expect(take('three', 'slow')).toBeNull();
    if (first) slots.release(first);
    await vi.waitFor(() => expect(woken.toSorted()).toEqual(['one', 'three']));
    expect([take('three'), take('three')]).not.toContain(null);
  });

  it('of projects with one turn few begin at once, and others come first', async () => {
    const slots = new Slots({ quick: 99, slow: 99, fresh: 6 }, { each: 9, ofTurn: 99, fresh: 2, freshOfTurn: 3 });
    const woken: string[] = [];
    const take = (project: string, turn?: string) =>
      slots.take('quick', own(project, turn), {}, () => woken.push(project));
    const many = Array.from({ length: 20 }, (_, place) => `many ${place}`);
    const begun = many.flatMap((project) => take(project, 'one') ?? []);
    expect(begun).toHaveLength(6);
    expect([take('other'), take('other')]).not.toContain(null);
    expect(take('other')).toBeNull();
    for (const slot of begun) slots.release(slot);
    await settle();
    expect(woken).toEqual(['other', 'many 6', 'many 7', 'many 8']);
  });

  it('projects with one turn have only so many beyond a full lane together', () => {
    const slots = new Slots({ quick: 4, slow: 4, fresh: 48 }, { ...none, each: 2, ofTurn: 5 });
    const take = (project: string, turn?: string) => slots.take('quick', own(project, turn), {}, () => undefined);
    const many = Array.from({ length: 9 }, (_, place) => take(`many ${place}`, 'one'));
    expect(many.filter(Boolean)).toHaveLength(5);
    expect([take('other'), take('other')]).not.toContain(null);
    expect(take('other')).toBeNull();
  });
});
