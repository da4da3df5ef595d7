import { describe, expect, it } from 'vitest';
import { organizerToDos } from '@/components/tournaments/manage/to-dos';
import type { Summary } from '@/components/tournaments/manage/tournament-table';

const now = Date.parse('2026-12-05T12:00:00.000Z');
const at = (hours: number) => new Date(now + hours * 3_600_000).toISOString();

const cup: Summary = {
  id: 'trn_1',
  slug: 'cup',
  projectId: 'prj_1',
  project: { id: 'prj_1', slug: 'demo', name: 'Demo' },
  name: 'Cup',
  game: 'cs2',
  gameName: 'Counter-Strike 2',
  format: 'single_elimination',
  teamSize: 1,
  maxParticipants: 16,
  currentParticipants: 10,
  status: 'PUBLISHED',
  visibility: 'public',
  startDate: at(100),
  timezone: 'UTC',
  registrationOpensAt: null,
  registrationClosesAt: null,
  checkInOpensAt: null,
  checkInClosesAt: null,
  registrationOpen: true,
  checkInOpen: false,
  requiresApproval: false,
  waitlistEnabled: false,
  entryFee: null,
  prizePool: null,
  publishedAt: at(-100),
  startedAt: null,
  completedAt: null,
  cancelledAt: null,
  version: 1,
  bannerUrl: null,
  createdAt: at(-200),
  updatedAt: at(-200),
  serverTime: at(0),
};

function needs(facts: Partial<Parameters<typeof organizerToDos>[0]>) {
  const all = {
    published: [],
    drafts: [],
    waiting: [],
    receivers: [],
    now,
    hrefOf: ({ slug }: Summary) => `/t/${slug}`,
    receiversHref: '/webhooks',
  };
  return organizerToDos({ ...all, ...facts }).map(({ kind, title, href }) => ({ kind, title, href }));
}

const waiting = { tournamentId: 'trn_1', pending: 0, waitlisted: 0, notCheckedIn: 0, checkedIn: 0 };

describe('what needs an organizer', () => {
  it('says who did not check in once check-in has closed, before the start', () => {
    const closed = { ...cup, checkInOpensAt: at(-3), checkInClosesAt: at(-1), startDate: at(30) };
    const absent = { ...waiting, notCheckedIn: 3, checkedIn: 9 };
    const [first] = needs({ published: [closed], waiting: [absent] });
    expect(first).toEqual({ kind: 'check-in', title: '3 entrants did not check in', href: '/t/cup?view=missing' });
    expect(needs({ published: [closed], waiting: [waiting] })).toEqual([]);
  });

  it('is nothing while everything is far away', () => {
    expect(needs({ published: [cup], waiting: [waiting] })).toEqual([]);
  });

  it('is who is missing while check-in is open, before everything else', () => {
    const open = { ...cup, checkInOpensAt: at(-1), startDate: at(1) };
    expect(needs({ published: [open], waiting: [{ ...waiting, notCheckedIn: 3, pending: 1 }] })).toEqual([
      { kind: 'check-in', title: '3 entrants not checked in', href: '/t/cup?view=missing' },
      { kind: 'approval', title: '1 registration waits for approval', href: '/t/cup?view=pending' },
      { kind: 'soon', title: 'Registration closes with 6 free', href: '/t/cup' },
    ]);
  });

  it('is a start that has passed, and nothing about windows that no longer turn', () => {
    const late = { ...cup, checkInOpensAt: at(-3), startDate: at(-1) };
    expect(needs({ published: [late], waiting: [{ ...waiting, notCheckedIn: 3 }] })).toEqual([
      { kind: 'overdue', title: 'The start has passed', href: '/t/cup' },
    ]);
  });

  it('is a window that opens within a day, or a start without check-in', () => {
    const soon = { ...cup, registrationOpensAt: at(2), checkInOpensAt: at(20), startDate: at(48) };
    expect(needs({ published: [soon] }).map(({ title }) => title)).toEqual([
      'Registration opens soon',
      'Check-in opens soon',
    ]);
    const bare = { ...cup, registrationClosesAt: at(-1), startDate: at(20) };
    expect(needs({ published: [bare] }).map(({ title }) => title)).toEqual(['Starts soon without a check-in']);
  });

  it('is a draft that starts within a week or should have started', () => {
    const draft = { ...cup, status: 'DRAFT' as const, publishedAt: null };
    expect(needs({ drafts: [{ ...draft, startDate: at(24 * 8) }] })).toEqual([]);
    expect(needs({ drafts: [draft] })[0]).toMatchObject({ kind: 'draft', href: '/t/cup' });
    expect(needs({ drafts: [{ ...draft, startDate: at(-1) }] })[0]).toMatchObject({
      kind: 'overdue',
      href: '/t/cup/edit',
    });
  });

  it('is a receiver that failed last or is disabled', () => {
    const delivery = { id: 'whd_1', eventType: 'tournament.published', responseStatus: 500, errorClass: null };
    const last = (status: 'failed' | 'delivered') => ({ ...delivery, status, createdAt: at(-1) });
    const closed = { state: 'closed' as const, consecutiveFailures: 0, openedAt: null, retryAt: null };
    const open = { ...closed, state: 'open' as const };
    const receivers = [
      { id: 'whs_1', url: 'https://a.test', status: 'active' as const, breaker: closed, lastDelivery: last('failed') },
      {
        id: 'whs_2',
        url: 'https://b.test',
        status: 'active' as const,
        breaker: closed,
        lastDelivery: last('delivered'),
      },
      { id: 'whs_3', url: 'https://c.test', status: 'disabled' as const, breaker: closed, lastDelivery: null },
      { id: 'whs_4', url: 'https://d.test', status: 'paused' as const, breaker: closed, lastDelivery: null },
      { id: 'whs_5', url: 'https://e.test', status: 'active' as const, breaker: open, lastDelivery: null },
    ];
    expect(needs({ receivers }).map(({ title }) => title)).toEqual([
      'A webhook did not get its last event',
      'A webhook is disabled',
      'A webhook keeps failing; its events are held',
    ]);
  });
});
