import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type Lane, type Slot, Slots, type Standing } from '@/server/delivery/sending/slots';

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
    const slots = new Slots(
      { quick: 8, slow: 4, fresh: 48 },
      { ...none, each: 1, fresh: 48, freshOfTurn: 48 },
      { ofProject: 6, all: 99 },
    );
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

describe('requests that hang', () => {
  const wide = { quick: 999, slow: 9, fresh: 999 };
  const make = (all: number) => new Slots(wide, { ...none, each: 9, fresh: 9, freshOfTurn: 99 }, { ofProject: 9, all });
  const never = () => undefined;

  /** Begins requests to receivers that hang, each of another project with the same turn, until there is no room. */
  function hang(slots: Slots, turn: string, standing: Standing = 'unknown'): Slot[] {
    const [begun, who]: [Slot[], object] = [[], {}];
    for (let place = 0; place < 200; place += 1) {
      const slot = slots.take(standing, own(`${turn} ${place} ${standing}`, turn), who, never);
      if (!slot) break;
      slots.move(slot, 'slow');
      begun.push(slot);
    }
    slots.leave(who);
    return begun;
  }

  it('are a quarter of all that may be under way for projects with one turn, and others have theirs', () => {
    const slots = make(100);
    expect(hang(slots, 'one')).toHaveLength(25);
    expect(hang(slots, 'one')).toEqual([]);
    expect(hang(slots, 'two')).toHaveLength(19);
    expect(slots.take('unknown', own('third'), {}, never)).not.toBeNull();
  });

  it('leave room to receivers with the same turn that respond promptly', () => {
    const slots = make(100);
    hang(slots, 'one');
    expect(slots.take('unknown', own('new', 'one'), {}, never)).toBeNull();
    for (let count = 0; count < 50; count += 1) {
      const slot = slots.take('quick', own('prompt', 'one'), {}, never);
      if (!slot) throw new Error('No slot');
      slots.release(slot);
    }
    // Those that hang all of a sudden have so much, and no more.
    expect(hang(slots, 'one', 'quick')).toHaveLength(9);
  });

  it('pass on their places as they end, to a queue as its receiver stands now', async () => {
    const slots = make(100);
    const woken: string[] = [];
    const [first] = hang(slots, 'one');
    const turned = {};
    const ask = (standing: Standing, who: object, name: string) =>
      slots.take(standing, own(name, 'one'), who, () => woken.push(name));
    expect(ask('unknown', turned, 'turned')).toBeNull();
    expect(ask('slow', turned, 'turned')).toBeNull();
    expect(ask('unknown', {}, 'next')).toBeNull();
    await settle();
    expect(woken).toEqual([]);
    if (first) slots.release(first);
    await settle();
    expect(woken).toEqual(['next']);
  });

  it('are never more than all that may be under way, of however many turns, and one without any finds a place before', () => {
    const act = fc.record({
      turn: fc.nat(9),
      standing: fc.constantFrom<Standing>('quick', 'unknown', 'slow'),
      ends: fc.nat(3).map((of) => of === 0),
    });
    fc.assert(
      fc.property(fc.array(act, { minLength: 60, maxLength: 120 }), (acts) => {
        const all = 12;
        const slots = new Slots({ quick: 999, slow: 999, fresh: 999 }, none, { ofProject: 999, all });
        const underWay = new Map<number, Slot[]>();
        for (const { turn, standing, ends } of acts) {
          const mine = underWay.get(turn) ?? [];
          underWay.set(turn, mine);
          const last = ends ? mine.pop() : undefined;
          if (last) slots.release(last);
          const left = all - [...underWay.values()].flat().length;
          const slot = slots.take(standing, own(`${turn}`), {}, never);
          expect(slot !== null).toBe(left > 0 && mine.length < left / (standing === 'quick' ? 2 : 3));
          if (!slot) continue;
          slots.move(slot, 'slow');
          mine.push(slot);
        }
      }),
    );
  });
});
