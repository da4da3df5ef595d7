import type { Summary } from '@/components/tournaments/manage/tournament-table';
import { counted } from '@/domain/text/counted';
import { checkInWindow, nextTurn, phaseOf, registrationWindow } from '@/domain/tournaments/schedule';
import type { Outputs } from '@/trpc/outputs';

type ParticipantTotals = Outputs['participants']['ofProject']['tournaments'][number];
type Webhook = Pick<
  Outputs['webhooks']['subscriptions']['listOfProject']['items'][number],
  'id' | 'url' | 'status' | 'breaker' | 'lastDelivery'
>;

/** What is wrong with a receiver; null when it gets its events. An open breaker hides failures behind what it holds. */
function webhookProblem({ status, breaker, lastDelivery }: Webhook): string | null {
  if (status === 'disabled') return 'A webhook is disabled';
  if (status === 'active' && breaker.state !== 'closed') return 'A webhook keeps failing; its events are held';
  const missed = lastDelivery?.status === 'failed' || lastDelivery?.status === 'expired';
  return missed ? 'A webhook did not get its last event' : null;
}

export type ToDo = {
  key: string;
  kind: 'check-in' | 'approval' | 'overdue' | 'draft' | 'soon' | 'receiver';
  title: string;
  /** Whose it is: the tournament or the receiver. */
  about: string;
  /** A moment (ISO 8601) it counts down to, with what happens then. */
  until?: { at: string; label: string };
  href: string;
  action: string;
};

const hour = 3_600_000;
const soonMs = 24 * hour;
const draftMs = 7 * 24 * hour;
const iso = (at: number) => new Date(at).toISOString();

function publishedToDos(
  tournament: Summary,
  waiting: ParticipantTotals | undefined,
  now: number,
  href: string,
): ToDo[] {
  const needs: ToDo[] = [];
  const { id, name: about } = tournament;
  const start = Date.parse(tournament.startDate);
  const checkIn = checkInWindow(tournament);
  const registration = registrationWindow(tournament);
  const missing = waiting?.notCheckedIn ?? 0;
  const pending = waiting?.pending ?? 0;
  const checkInPhase = phaseOf(checkIn, now);

  if (checkInPhase === 'open' && missing > 0) {
    needs.push({
      key: `${id} check-in`,
      kind: 'check-in',
      title: `${counted(missing, 'entrant')} not checked in`,
      about,
      until: { at: iso(checkIn.closesAt), label: 'Check-in closes in' },
      href: `${href}?view=missing`,
      action: 'See who',
    });
  }
  if (checkInPhase === 'after' && missing > 0 && start > now) {
    needs.push({
      key: `${id} no-shows`,
      kind: 'check-in',
      title: `${counted(missing, 'entrant')} did not check in`,
      about,
      until: { at: tournament.startDate, label: 'Starts in' },
      href: `${href}?view=missing`,
      action: 'Decide',
    });
  }
  if (pending > 0) {
    needs.push({
      key: `${id} approval`,
      kind: 'approval',
      title: `${counted(pending, 'registration waits', 'registrations wait')} for approval`,
      about,
      href: `${href}?view=pending`,
      action: 'See who',
    });
  }
  if (start <= now) {
    needs.push({ key: `${id} overdue`, kind: 'overdue', title: 'The start has passed', about, href, action: 'Open' });
    return needs;
  }
  const registrationTurn = nextTurn(registration, now);
  if (registrationTurn !== null && registrationTurn - now <= soonMs) {
    const closes = phaseOf(registration, now) === 'open';
    const free = tournament.maxParticipants - tournament.currentParticipants;
    needs.push({
      key: `${id} registration`,
      kind: 'soon',
      title: closes ? `Registration closes with ${free} free` : 'Registration opens soon',
      about,
      until: { at: iso(registrationTurn), label: closes ? 'Closes in' : 'Opens in' },
      href,
      action: 'Open',
    });
  }
  const checkInTurn = nextTurn(checkIn, now);
  if (checkInPhase === 'before' && checkInTurn !== null && checkInTurn - now <= soonMs) {
    needs.push({
      key: `${id} check-in soon`,
      kind: 'soon',
      title: 'Check-in opens soon',
      about,
      until: { at: iso(checkInTurn), label: 'Opens in' },
      href,
      action: 'Open',
    });
  }
  if (checkInPhase === 'unset' && start - now <= soonMs) {
    needs.push({
      key: `${id} no check-in`,
      kind: 'soon',
      title: 'Starts soon without a check-in',
      about,
      until: { at: tournament.startDate, label: 'Starts in' },
      href,
      action: 'Open',
    });
  }
  return needs;
}

function draftToDos(tournament: Summary, now: number, href: string): ToDo[] {
  const left = Date.parse(tournament.startDate) - now;
  if (left > draftMs) return [];
  const late = left <= 0;
  return [
    {
      key: `${tournament.id} draft`,
      kind: late ? 'overdue' : 'draft',
      title: late ? 'Draft whose start has passed' : 'Draft that starts within a week',
      about: tournament.name,
      until: late ? undefined : { at: tournament.startDate, label: 'Starts in' },
      href: late ? `${href}/edit` : href,
      action: late ? 'Move the start' : 'Publish',
    },
  ];
}

const order: ToDo['kind'][] = ['check-in', 'overdue', 'receiver', 'approval', 'draft', 'soon'];

/** What waits for an organizer now, the most pressing first. `now` in milliseconds. */
export function organizerToDos(facts: {
  published: Summary[];
  drafts: Summary[];
  waiting: ParticipantTotals[];
  receivers: Webhook[];
  now: number;
  hrefOf: (tournament: Summary) => string;
  receiversHref: string;
}): ToDo[] {
  const { now, hrefOf } = facts;
  const waiting = new Map(facts.waiting.map((each) => [each.tournamentId, each]));
  const needs = [
    ...facts.published.flatMap((each) => publishedToDos(each, waiting.get(each.id), now, hrefOf(each))),
    ...facts.drafts.flatMap((each) => draftToDos(each, now, hrefOf(each))),
    ...facts.receivers.flatMap((receiver): ToDo[] => {
      const title = webhookProblem(receiver);
      const { id, url: about } = receiver;
      const href = `${facts.receiversHref}/${id}`;
      return title ? [{ key: id, kind: 'receiver', title, about, href, action: 'See why' }] : [];
    }),
  ];
  const at = ({ until }: ToDo) => (until ? Date.parse(until.at) : Number.POSITIVE_INFINITY);
  return needs.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || at(a) - at(b) || 0);
}
