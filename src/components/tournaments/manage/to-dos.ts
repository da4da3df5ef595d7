import type { Summary } from '@/components/tournaments/manage/tournament-table';
import { counted } from '@/domain/text/counted';
import { checkInWindow, nextWindowChange, phaseOf, registrationWindow } from '@/domain/tournaments/schedule';
import type { Outputs } from '@/trpc/outputs';

type ParticipantTotals = Outputs['participants']['ofProject']['tournaments'][number];
type Webhook = Pick<
  Outputs['webhooks']['subscriptions']['listOfProject']['items'][number],
  'id' | 'url' | 'status' | 'breaker' | 'lastDelivery'
>;

/** What is wrong with a webhook; null if it works. While the circuit breaker is open, failures show as held events. */
function webhookProblem({ status, breaker, lastDelivery }: Webhook): string | null {
  if (status === 'disabled') return 'A webhook is disabled';
  if (status === 'active' && breaker.state !== 'closed') return 'A webhook is failing, and its events are held';
  const missed = lastDelivery?.status === 'failed' || lastDelivery?.status === 'expired';
  return missed ? 'The last delivery to a webhook failed' : null;
}

export type ToDo = {
  key: string;
  kind: 'check-in' | 'approval' | 'overdue' | 'draft' | 'soon' | 'webhook';
  title: string;
  /** The tournament or webhook it is about. */
  about: string;
  /** The deadline (ISO 8601) to count down to, with what happens then. */
  until?: { at: string; label: string };
  href: string;
  action: string;
};

const hour = 3_600_000;
const soonMs = 24 * hour;
const draftMs = 7 * 24 * hour;
const iso = (at: number) => new Date(at).toISOString();

function publishedToDos(tournament: Summary, totals: ParticipantTotals | undefined, now: number, href: string): ToDo[] {
  const toDos: ToDo[] = [];
  const { id, name: about } = tournament;
  const start = Date.parse(tournament.startDate);
  const checkIn = checkInWindow(tournament);
  const registration = registrationWindow(tournament);
  const missing = totals?.notCheckedIn ?? 0;
  const pending = totals?.pending ?? 0;
  const checkInPhase = phaseOf(checkIn, now);

  if (checkInPhase === 'open' && missing > 0) {
    toDos.push({
      key: `${id} check-in`,
      kind: 'check-in',
      title: `${counted(missing, 'participant is', 'participants are')} not checked in`,
      about,
      until: { at: iso(checkIn.closesAt), label: 'Check-in closes in' },
      href: `${href}?view=missing`,
      action: 'Review',
    });
  }
  if (checkInPhase === 'after' && missing > 0 && start > now) {
    toDos.push({
      key: `${id} no-shows`,
      kind: 'check-in',
      title: `${counted(missing, 'participant')} did not check in`,
      about,
      until: { at: tournament.startDate, label: 'Starts in' },
      href: `${href}?view=missing`,
      action: 'Review',
    });
  }
  if (pending > 0) {
    toDos.push({
      key: `${id} approval`,
      kind: 'approval',
      title: `${counted(pending, 'registration is', 'registrations are')} awaiting approval`,
      about,
      href: `${href}?view=pending`,
      action: 'Review',
    });
  }
  if (start <= now) {
    toDos.push({
      key: `${id} overdue`,
      kind: 'overdue',
      title: 'The scheduled start has passed',
      about,
      href,
      action: 'Open',
    });
    return toDos;
  }
  const registrationTurn = nextWindowChange(registration, now);
  if (registrationTurn !== null && registrationTurn - now <= soonMs) {
    const closes = phaseOf(registration, now) === 'open';
    const slotsLeft = tournament.maxParticipants - tournament.currentParticipants;
    toDos.push({
      key: `${id} registration`,
      kind: 'soon',
      title: closes ? `Registration closes soon with ${counted(slotsLeft, 'slot')} left` : 'Registration opens soon',
      about,
      until: { at: iso(registrationTurn), label: closes ? 'Closes in' : 'Opens in' },
      href,
      action: 'Open',
    });
  }
  const checkInTurn = nextWindowChange(checkIn, now);
  if (checkInPhase === 'before' && checkInTurn !== null && checkInTurn - now <= soonMs) {
    toDos.push({
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
    toDos.push({
      key: `${id} no check-in`,
      kind: 'soon',
      title: 'Starts soon without check-in',
      about,
      until: { at: tournament.startDate, label: 'Starts in' },
      href,
      action: 'Open',
    });
  }
  return toDos;
}

function draftToDos(tournament: Summary, now: number, href: string): ToDo[] {
  const left = Date.parse(tournament.startDate) - now;
  if (left > draftMs) return [];
  const late = left <= 0;
  return [
    {
      key: `${tournament.id} draft`,
      kind: late ? 'overdue' : 'draft',
      title: late ? 'Draft with a start in the past' : 'Draft that starts within a week',
      about: tournament.name,
      until: late ? undefined : { at: tournament.startDate, label: 'Starts in' },
      href: late ? `${href}/edit` : href,
      action: late ? 'Change start' : 'Publish',
    },
  ];
}

const order: ToDo['kind'][] = ['check-in', 'overdue', 'webhook', 'approval', 'draft', 'soon'];

/** What needs an organizer's attention, the most urgent first. `now` in milliseconds. */
export function organizerToDos(facts: {
  published: Summary[];
  drafts: Summary[];
  totals: ParticipantTotals[];
  webhooks: Webhook[];
  now: number;
  tournamentHref: (tournament: Summary) => string;
  webhooksHref: string;
}): ToDo[] {
  const { now, tournamentHref } = facts;
  const totals = new Map(facts.totals.map((each) => [each.tournamentId, each]));
  const toDos = [
    ...facts.published.flatMap((each) => publishedToDos(each, totals.get(each.id), now, tournamentHref(each))),
    ...facts.drafts.flatMap((each) => draftToDos(each, now, tournamentHref(each))),
    ...facts.webhooks.flatMap((webhook): ToDo[] => {
      const title = webhookProblem(webhook);
      const { id, url: about } = webhook;
      const href = `${facts.webhooksHref}/${id}`;
      return title ? [{ key: id, kind: 'webhook', title, about, href, action: 'Details' }] : [];
    }),
  ];
  const at = ({ until }: ToDo) => (until ? Date.parse(until.at) : Number.POSITIVE_INFINITY);
  return toDos.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || at(a) - at(b) || 0);
}
