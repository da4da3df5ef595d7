/**
 * Events whose receivers have no room are left as they are for a moment, where that is all that can become of them: a delivery
 * that is stored before its request costs three times as much, and behind it all others of its subscription are stored too.
 */

/** What the process that sends knows of receivers, by their subscriptions. */
export type Receivers = {
  /** How many deliveries of a subscription may be claimed for sending at once. */
  room: (subscriptionId: string) => number;
  /** Whether more room can be expected within a moment: its receiver is prompt, or not known yet. */
  soon: (subscriptionId: string) => boolean;
  /** Whether anything is sent to it now. */
  sending: (subscriptionId: string) => boolean;
};

/** So much room is waited for: a turn costs as much for a few events as for many. */
const enoughRoom = 64;
/** So long after an event, its deliveries are stored even so, and the log shows that they wait. */
const unseenMs = 3_000;
/** A project's events wait no longer than this where they may be for other subscriptions. */
const sharedMs = 20;

type Taken = { projectId: string | null; occurredAt: Date; sentAt: Date; attempted: object | null; webhooks: number };
type Wanted = { subscriptionId: string; claim: boolean };

/** A project of which no event is taken for a moment. */
export type Rest = {
  projectId: string;
  /** How long at most. */
  ms: number;
  /** Whether all of its events in the turn are left. */
  all: boolean;
  /** Whether there is room for them. */
  over: () => boolean;
};

/**
 * Finds the last events of each project of which nothing can be sent now, and everything soon. What comes before one that is
 * not left stays, so that no delivery overtakes another of its subscription.
 * @param events those of a turn, in order, each with the deliveries that it leads to
 * @param may whether events of a project may be left in this turn
 */
export function leaveForLater<Event extends Taken>(
  events: readonly { event: Event; wanted: readonly Wanted[] }[],
  { room, soon, sending }: Receivers,
  may: (projectId: string) => boolean,
): { left: Set<Event>; rests: Rest[] } {
  const left = new Set<Event>();
  const rests = new Map<string, Rest & { subscriptions: Set<string> }>();
  const kept = new Set<string | null>([null]);
  for (const { event, wanted } of events.toReversed()) {
    const { projectId } = event;
    if (projectId === null || kept.has(projectId) || wanted.length === 0) continue;
    const leftMs = unseenMs - (+event.sentAt - +event.occurredAt);
    const waits =
      leftMs > 0 && event.attempted === null && wanted.every((each) => !each.claim && soon(each.subscriptionId));
    if (!waits || !may(projectId)) {
      kept.add(projectId);
      const rest = rests.get(projectId);
      if (rest) rest.all = false;
      continue;
    }
    left.add(event);
    const subscriptions = rests.get(projectId)?.subscriptions ?? new Set();
    for (const { subscriptionId } of wanted) subscriptions.add(subscriptionId);
    const over = () => [...subscriptions].every((each) => room(each) >= enoughRoom || !sending(each) || !soon(each));
    const ms = event.webhooks > 1 ? Math.min(leftMs, sharedMs) : leftMs;
    rests.set(projectId, { projectId, ms, all: true, over, subscriptions });
  }
  return { left, rests: [...rests.values()] };
}
