import type { HistoryEntry } from '@/components/tournaments/desk/queries';

type HistoryFacts = Pick<
  HistoryEntry,
  'type' | 'registrationStatus' | 'status' | 'previous' | 'reason' | 'changes' | 'isGuest' | 'substitution'
>;

const predicates: Record<string, string> = {
  'participant.registered': 'registered this participant.',
  'participant.waitlisted': 'moved this participant to the waitlist.',
  'participant.approved': 'approved the registration.',
  'participant.rejected': 'rejected the registration.',
  'participant.checked_in': 'checked in this participant.',
  'participant.withdrawn': 'cancelled the registration.',
  'participant.disqualified': 'disqualified this participant.',
  'participant.reinstated': 'reinstated this participant.',
  'participant.removed': 'removed this participant.',
  'participant.no_show': 'marked this participant as a no-show.',
  'participant.eliminated': 'eliminated this participant.',
};

/** For events the participant caused themselves. */
const ownPredicates: Record<string, string> = {
  'participant.registered': 'registered.',
  'participant.checked_in': 'checked in.',
};

const fieldLabels: Record<string, string> = {
  customFields: 'answers',
  name: 'name',
  roster: 'roster',
};

function updatePredicate({ changes, isGuest, previous, status, registrationStatus }: HistoryFacts): string {
  if (changes.includes('status') && previous?.status === 'checked_in' && status === 'registered') {
    return 'undid the check-in.';
  }
  if (changes.includes('userId')) {
    return isGuest
      ? 'left without having accepted. The participant stays without an account.'
      : 'took over this participant with a claim link.';
  }
  if (changes.includes('acceptance')) return 'accepted to play.';
  if (changes.includes('registrationStatus') && registrationStatus === 'pending') {
    return 'moved the registration back to pending.';
  }
  const fields = changes.map((field) => fieldLabels[field] ?? field);
  if (fields.length === 0) return 'edited the registration.';
  return `changed the ${new Intl.ListFormat('en').format(fields)}.`;
}

/**
 * A history entry as a sentence without its subject, the actor: `approved the registration.` `bySelf`: whether the actor
 * is the participant. `detail` is the organizer's reason, or what became of a new registration.
 */
export function historyText(entry: HistoryFacts, bySelf = false): { predicate: string; detail: string | null } {
  const { type, previous, registrationStatus, reason, substitution } = entry;
  if (type === 'participant.updated') return { predicate: updatePredicate(entry), detail: null };
  if (substitution) {
    const { out, in: substitute } = substitution;
    return { predicate: `replaced ${out.name ?? out.id} with ${substitute.name ?? substitute.id}.`, detail: reason };
  }
  if (type === 'participant.approved' && previous?.registrationStatus === 'waitlisted') {
    return { predicate: 'promoted this participant from the waitlist.', detail: null };
  }
  const predicate = (bySelf && ownPredicates[type]) || predicates[type];
  if (type === 'participant.registered') {
    const outcome: Record<string, string> = { pending: 'Awaiting approval.', waitlisted: 'On the waitlist.' };
    return { predicate: predicate ?? 'registered.', detail: outcome[registrationStatus] ?? null };
  }
  const eventName = type.replace(/^participant\./, '').replaceAll('_', ' ');
  return { predicate: predicate ?? `caused the event “${eventName}”.`, detail: reason };
}
