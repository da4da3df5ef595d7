import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fillStations, matchesAt, onStream, type StationFacts, type StationMatch, streamQueue } from './stations';

const now = Date.parse('2026-12-05T18:00:00.000Z');
const at = (minutes: number) => new Date(now + minutes * 60_000).toISOString();

function match(number: number, given: Partial<StationMatch> = {}): StationMatch {
  const times = { scheduledAt: null, calledAt: null, report: null, startedAt: null };
  return { number, status: 'ready', stationId: null, streamPosition: null, ...times, ...given };
}
const station = (id: string, given: Partial<StationFacts> = {}): StationFacts => ({
  ...{ id, streamUrl: null, autoAssign: true },
  ...given,
});
const numbers = (matches: readonly StationMatch[]) => matches.map(({ number }) => number);

describe('matchesAt', () => {
  test('runs first, then called, due, without a time, later, and what waits for participants', () => {
    const here = { stationId: 'one' };
    const { current, queue } = matchesAt(
      'one',
      [
        match(1, { ...here, status: 'pending' }),
        match(2, { ...here, status: 'scheduled', scheduledAt: at(60) }),
        match(3, here),
        match(4, { ...here, status: 'scheduled', scheduledAt: at(-5) }),
        match(5, { ...here, calledAt: at(-1) }),
        match(6, { ...here, status: 'in_progress', startedAt: at(-9) }),
        match(7, { ...here, status: 'completed' }),
        match(8, { stationId: 'two' }),
      ],
      now,
    );
    expect(current?.number).toBe(6);
    expect(numbers(queue)).toEqual([5, 4, 3, 2, 1]);
  });

  test('keeps a match that is only reported in its place', () => {
    const here = { stationId: 'one' };
    const reported = { ...here, status: 'in_progress', report: {} } as const;
    const { current, queue } = matchesAt(
      'one',
      [
        match(1, { ...reported, scheduledAt: at(300) }),
        match(2, { ...here, calledAt: at(-1) }),
        match(3, { ...reported, calledAt: at(-2) }),
        match(4, here),
        match(5, { ...reported, startedAt: at(-1) }),
      ],
      now,
    );
    expect([current, ...queue].map((one) => one?.number)).toEqual([5, 3, 2, 4, 1]);
  });

  test('has no current match while all that is left is for later than in an hour', () => {
    const later = { stationId: 'one', status: 'scheduled', scheduledAt: at(61) } as const;
    const { current, queue } = matchesAt('one', [match(1, later), match(2, { ...later, report: {} })], now);
    expect(current).toBeNull();
    expect(numbers(queue)).toEqual([1, 2]);
    for (const soon of [{ scheduledAt: at(60) }, { calledAt: at(-1) }, { status: 'in_progress' as const }]) {
      expect(matchesAt('one', [match(1, later), match(2, { ...later, ...soon })], now).current?.number).toBe(2);
    }
  });

  test('has no current match while all of them wait for participants', () => {
    const { current, queue } = matchesAt('one', [match(1, { stationId: 'one', status: 'pending' })], now);
    expect(current).toBeNull();
    expect(numbers(queue)).toEqual([1]);
  });
});

describe('fillStations', () => {
  test('gives free stations the next matches in order, and leaves the others alone', () => {
    const matches = [
      match(1, { status: 'in_progress', stationId: 'busy' }),
      match(2, { status: 'pending' }),
      match(3),
      match(4, { status: 'scheduled', scheduledAt: at(-1) }),
      match(5),
    ];
    const stations = [station('busy'), station('manual', { autoAssign: false }), station('one'), station('two')];
    expect(Object.fromEntries(fillStations(matches, stations, now))).toEqual({ 4: 'one', 3: 'two' });
  });

  test('keeps the stream queue for the stations with a stream', () => {
    const matches = [match(1), match(2, { streamPosition: 2 }), match(3, { streamPosition: 1 }), match(4)];
    const stage = station('stage', { streamUrl: 'https://stream.example.com/stage' });
    expect(Object.fromEntries(fillStations(matches, [station('one'), stage], now))).toEqual({ 1: 'one', 3: 'stage' });
    expect(Object.fromEntries(fillStations(matches, [station('one'), station('two')], now))).toEqual({
      1: 'one',
      2: 'two',
    });
  });

  test('takes nothing that is for later than in an hour, and leaves everything else as if that were not there', () => {
    const anyMatch = fc.record({
      status: fc.constantFrom<StationMatch['status']>('pending', 'ready', 'scheduled', 'in_progress', 'disputed'),
      stationId: fc.constantFrom(null, null, 'a', 'b'),
      streamPosition: fc.option(fc.integer({ min: 1, max: 5 })),
      scheduledAt: fc.option(fc.integer({ min: -60, max: 60 }).map(at)),
    });
    const anyLater = fc.record({
      status: fc.constant('scheduled' as const),
      stationId: fc.constantFrom(null, 'a', 'b'),
      streamPosition: fc.option(fc.integer({ min: 1, max: 5 })),
      scheduledAt: fc.integer({ min: 61, max: 100_000 }).map(at),
    });
    const stations = [station('a'), station('b', { streamUrl: 'https://x.example.com' }), station('c')];
    fc.assert(
      fc.property(fc.array(anyMatch, { maxLength: 8 }), fc.array(anyLater, { maxLength: 8 }), (given, later) => {
        const all = [...later, ...given].map((one, index) => match(index + 1, one));
        expect(fillStations(all, stations, now)).toEqual(fillStations(all.slice(later.length), stations, now));
      }),
    );
  });

  test('never gives a match twice, a station two matches, or a match to a station that is busy', () => {
    const anyStation = fc.constantFrom(null, 'a', 'b', 'c', 'd');
    const anyMatch = fc.record({
      status: fc.constantFrom<StationMatch['status']>('pending', 'ready', 'scheduled', 'in_progress', 'completed'),
      stationId: anyStation,
      streamPosition: fc.option(fc.integer({ min: 1, max: 5 })),
      scheduledAt: fc.option(fc.integer({ min: -60, max: 60 }).map(at)),
    });
    const anyFacts = fc.record({
      autoAssign: fc.boolean(),
      streamUrl: fc.option(fc.constant('https://x.example.com')),
    });
    fc.assert(
      fc.property(fc.array(anyMatch, { maxLength: 20 }), fc.array(anyFacts, { maxLength: 4 }), (given, facts) => {
        const matches = given.map((one, index) => match(index + 1, one));
        const stations = facts.map((one, index) => ({ id: 'abcd'.charAt(index), ...one }));
        const filled = fillStations(matches, stations, now);
        expect(new Set(filled.values()).size).toBe(filled.size);
        for (const [number, id] of filled) {
          const taken = matches.find((one) => one.number === number);
          expect(taken?.stationId).toBeNull();
          expect(['ready', 'scheduled']).toContain(taken?.status);
          expect(stations.find((one) => one.id === id)?.autoAssign).toBe(true);
          expect(matchesAt(id, matches, now).current).toBeNull();
        }
        // Applied, nothing is left to give.
        const after = matches.map((one) => ({ ...one, stationId: filled.get(one.number) ?? one.stationId }));
        expect(fillStations(after, stations, now).size).toBe(0);
      }),
    );
  });
});

describe('on stream', () => {
  const stage = { id: 'stage', streamUrl: 'https://stream.example.com/stage' };

  test('is what runs or was called at a station with a stream', () => {
    const matches = [match(1, { stationId: 'stage' }), match(2, { stationId: 'stage', calledAt: at(-1) })];
    expect(onStream(matches, [stage], now)?.number).toBe(2);
    expect(onStream([match(3, { status: 'in_progress', streamPosition: 1 })], [stage], now)).toBeNull();
  });

  test('is no match that is only reported, unless it was called there', () => {
    const reported = { status: 'in_progress', report: {}, stationId: 'stage' } as const;
    const later = match(1, reported);
    expect(onStream([later], [stage], now)).toBeNull();
    expect(onStream([later, match(2, { ...reported, calledAt: at(-1) })], [stage], now)?.number).toBe(2);
    expect(onStream([{ ...later, streamPosition: 1 }], [], now)).toBeNull();
  });

  test('is the first running match of the queue where no station has a stream', () => {
    const matches = [match(1, { streamPosition: 2, status: 'in_progress' }), match(2, { streamPosition: 1 })];
    expect(onStream(matches, [], now)?.number).toBe(1);
    expect(numbers(streamQueue(matches))).toEqual([2, 1]);
  });
});
