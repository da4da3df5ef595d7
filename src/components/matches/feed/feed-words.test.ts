import { describe, expect, it } from 'vitest';
import { describeFeedItem } from '@/components/matches/feed/feed-words';

const item = { type: 'round_ended', game: 2, participantId: null, payload: {} };

describe('describeFeedItem', () => {
  it('names the event with the scores and details it has', () => {
    expect(describeFeedItem({ ...item, payload: { scores: [13, 9], map: 'Nuke', round: 22 } })).toEqual({
      title: 'Round ended',
      detail: '13–9 · game 2 · Nuke · round 22',
    });
  });

  it('ignores what it cannot read', () => {
    const payload = { scores: 'many', map: { name: 'Nuke' }, reason: null };
    expect(describeFeedItem({ ...item, game: null, payload })).toEqual({ title: 'Round ended', detail: '' });
  });
});
