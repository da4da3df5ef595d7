import { expect, test } from 'vitest';
import {
  eventCatalog,
  eventGroups,
  eventTypes,
  filtersOf,
  groupTitles,
  isEventType,
  typesFor,
} from '@/server/events/catalog/catalog';

/** The types that subscribers are promised. */
const promised = `
  tournament.created tournament.published tournament.updated tournament.started tournament.completed tournament.cancelled
  registration.opened registration.closed registration.full
  participant.registered participant.approved participant.rejected participant.checked_in participant.eliminated participant.disqualified
  match.created match.started match.completed match.disputed match.rescheduled match.forfeited
  circuit.created circuit.season.started circuit.season.completed
  payment.received payout.processed payout.failed broadcast.started broadcast.ended
  user.created user.verified user.suspended anticheat.detection_raised anticheat.session_completed`
  .trim()
  .split(/\s+/);

/** The types that we added. */
const added = `
  participant.waitlisted participant.withdrawn participant.reinstated participant.substituted participant.removed
  participant.no_show participant.updated match.result_corrected webhook.test`
  .trim()
  .split(/\s+/);

test('the catalog has the 34 promised types and those that we added', () => {
  expect(promised).toHaveLength(34);
  expect([...eventTypes].sort()).toEqual([...promised, ...added].sort());
  for (const type of ['toString', 'match.nothing', 'match.*', '']) expect(isEventType(type)).toBe(false);
});

test.each(eventTypes)('%s has a title, a description, a version and an example that matches its schema', (type) => {
  const { title, description, version, aggregateType, payload, example } = eventCatalog[type];
  expect(title).toMatch(/^[A-Z][\w\s-]+$/);
  expect(description).toMatch(/^[A-Z].{5,}\.$/s);
  expect(version).toBeGreaterThanOrEqual(1);
  expect(aggregateType).toMatch(/^[a-z_]+$/);
  expect(payload.parse(example)).toEqual(example);
});

test('titles are unique within their group, and groups have one each', () => {
  for (const group of eventGroups) {
    const titles = eventTypes.filter((type) => type.startsWith(`${group}.`)).map((type) => eventCatalog[type].title);
    expect(new Set(titles).size).toBe(titles.length);
  }
  expect(Object.keys(groupTitles).sort()).toEqual([...eventGroups].sort());
  expect(new Set(Object.values(groupTitles)).size).toBe(eventGroups.length);
});

test('filters follow from the payload', () => {
  expect(filtersOf('tournament.created')).toEqual(['aggregateType', 'tournamentId', 'conditions']);
  expect(filtersOf('participant.approved')).toEqual(['aggregateType', 'tournamentId', 'userId', 'conditions']);
  expect(filtersOf('user.created')).toEqual(['aggregateType', 'userId', 'conditions']);
  expect(filtersOf('circuit.created')).toEqual(['aggregateType', 'conditions']);
  expect(filtersOf('webhook.test')).toEqual([]);
});

test('events about users can be without a project, and a test goes to one subscription', () => {
  expect(typesFor('user')).toEqual(['user.created', 'user.verified', 'user.suspended']);
  expect(typesFor('subscription')).toEqual(['webhook.test']);
  for (const type of typesFor('user')) expect(eventCatalog[type].aggregateType).toBe('user');
});

test('no example contains an email address', () => {
  expect(JSON.stringify(Object.values(eventCatalog).map(({ example }) => example))).not.toMatch(/@|email/i);
});
