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

function toDos(facts: Partial<Parameters<typeof organizerToDos>[0]>) {
  const all = {
    published: [],
    drafts: [],
    totals: [],
    webhooks: [],
    now,
    tournamentHref: ({ slug }: Summary) => `/t/${slug}`,
    webhooksHref: '/webhooks',
  };
  return organizerToDos({ ...all, ...facts }).map(({ kind, title, href }) => ({ kind, title, href }));
}

const totals = { tournamentId: 'trn_1', pending: 0, waitlisted: 0, notCheckedIn: 0, checkedIn: 0 };

describe('organizerToDos', () => {
  it('names missing check-ins between the end of check-in and the start', () => {
    const closed = { ...cup, checkInOpensAt: at(-3), checkInClosesAt: at(-1), startDate: at(30) };
    const absent = { ...totals, notCheckedIn: 3, checkedIn: 9 };
    const [first] = toDos({ published: [closed], totals: [absent] });
    expect(first).toEqual({ kind: 'check-in', title: '3 participants did not check in', href: '/t/cup?view=missing' });
    expect(toDos({ published: [closed], totals: [totals] })).toEqual([]);
  });

  it('is empty while nothing is due', () => {
    expect(toDos({ published: [cup], totals: [totals] })).toEqual([]);
  });

  it('puts missing check-ins first while check-in is open', () => {
    const open = { ...cup, checkInOpensAt: at(-1), startDate: at(1) };
    expect(toDos({ published: [open], totals: [{ ...totals, notCheckedIn: 3, pending: 1 }] })).toEqual([
      { kind: 'check-in', title: '3 participants are not checked in', href: '/t/cup?view=missing' },
      { kind: 'approval', title: '1 registration is awaiting approval', href: '/t/cup?view=pending' },
      { kind: 'soon', title: 'Registration closes soon with 6 slots left', href: '/t/cup' },
    ]);
  });

  it('names an overdue start and ignores windows that no longer change', () => {
    const late = { ...cup, checkInOpensAt: at(-3), startDate: at(-1) };
    expect(toDos({ published: [late], totals: [{ ...totals, notCheckedIn: 3 }] })).toEqual([
      { kind: 'overdue', title: 'The scheduled start has passed', href: '/t/cup' },
    ]);
  });

  it('names windows that open within a day and starts without check-in', () => {
    const soon = { ...cup, registrationOpensAt: at(2), checkInOpensAt: at(20), startDate: at(48) };
    expect(toDos({ published: [soon] }).map(({ title }) => title)).toEqual([
      'Registration opens soon',
      'Check-in opens soon',
    ]);
    const bare = { ...cup, registrationClosesAt: at(-1), startDate: at(20) };
    expect(toDos({ published: [bare] }).map(({ title }) => title)).toEqual(['Starts soon without check-in']);
  });

  it('names drafts that start within a week or should have started', () => {
    const draft = { ...cup, status: 'DRAFT' as const, publishedAt: null };
    expect(toDos({ drafts: [{ ...draft, startDate: at(24 * 8) }] })).toEqual([]);
    expect(toDos({ drafts: [draft] })[0]).toMatchObject({ kind: 'draft', href: '/t/cup' });
    expect(toDos({ drafts: [{ ...draft, startDate: at(-1) }] })[0]).toMatchObject({
      kind: 'overdue',
      href: '/t/cup/edit',
    });
  });

  it('names webhooks that are failing or disabled', () => {
    const delivery = { id: 'whd_1', eventType: 'tournament.published', responseStatus: 500, errorClass: null };
    const last = (status: 'failed' | 'delivered') => ({ ...delivery, status, createdAt: at(-1) });
    const closed = { state: 'closed' as const, consecutiveFailures: 0, openedAt: null, retryAt: null };
    const open = { ...closed, state: 'open' as const };
    const webhooks = [
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
    expect(toDos({ webhooks }).map(({ title }) => title)).toEqual([
      'The last delivery to a webhook failed',
      'A webhook is disabled',
      'A webhook is failing, and its events are held',
    ]);
  });
});
