import { describe, expect, it } from 'vitest';
import { eventCatalog, eventTypes } from '@/server/events/catalog/catalog';

const original = `tournament.created tournament.published tournament.updated tournament.started tournament.completed
  tournament.cancelled registration.opened registration.closed registration.full participant.registered
  participant.approved participant.rejected participant.checked_in participant.eliminated participant.disqualified
  match.created match.started match.completed match.disputed match.rescheduled match.forfeited circuit.created
  circuit.season.started circuit.season.completed payment.received payout.processed payout.failed broadcast.started
  broadcast.ended user.created user.verified user.suspended anticheat.detection_raised anticheat.session_completed`
  .split(/\s+/)
  .filter(Boolean);
const further = `participant.waitlisted participant.withdrawn participant.reinstated participant.substituted
  participant.removed participant.no_show participant.updated match.result_corrected webhook.test`.split(/\s+/);

describe('the event catalog', () => {
  it('contains these types and no others', () => {
    expect([...eventTypes].sort()).toEqual([...original, ...further].sort());
  });

  it.each(eventTypes)('has an example of %s that matches its schema, field by field', (type) => {
    const { payload, example } = eventCatalog[type];
    expect(payload.parse(example)).toEqual(example);
  });

  it('contains no email address', () => {
    expect(JSON.stringify(Object.values(eventCatalog).map((entry) => entry.example))).not.toMatch(/@|email/i);
  });
});
