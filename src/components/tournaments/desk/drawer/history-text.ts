import type { HistoryEntry } from '@/components/tournaments/desk/queries';

type HistoryFacts = Pick<
  HistoryEntry,
  'type' | 'registrationStatus' | 'status' | 'previous' | 'reason' | 'changes' | 'substitution'
>;

const titles: Record<string, string> = {
  'participant.registered': 'Registered',
  'participant.waitlisted': 'Put on the waitlist',
  'participant.approved': 'Approved',
  'participant.rejected': 'Rejected',
  'participant.checked_in': 'Checked in',
  'participant.withdrawn': 'Cancelled the registration',
  'participant.disqualified': 'Disqualified',
  'participant.reinstated': 'Reinstated',
  'participant.removed': 'Removed',
  'participant.no_show': 'Marked as no-show',
  'participant.eliminated': 'Eliminated',
  'participant.substituted': 'Substituted a player',
};

const fieldLabels: Record<string, string> = {
  customFields: 'answers',
  name: 'name',
  roster: 'roster',
};

/** What happened, in the words of the desk. An edit that took a decision back is named by what it took back. */
export function historyText(entry: HistoryFacts): { title: string; detail: string | null } {
  const { type, previous, registrationStatus, status, reason, changes, substitution } = entry;
  if (type === 'participant.updated') {
    if (changes.includes('status') && previous?.status === 'checked_in' && status === 'registered') {
      return { title: 'Check-in taken back', detail: null };
    }
    if (changes.includes('registrationStatus') && registrationStatus === 'pending') {
      return { title: 'Back to pending', detail: previous ? `Was ${previous.registrationStatus} before.` : null };
    }
    const fields = changes.map((field) => fieldLabels[field] ?? field).join(', ');
    return { title: 'Edited', detail: fields ? `Changed: ${fields}.` : null };
  }
  if (type === 'participant.registered') {
    const became: Record<string, string> = { pending: 'Awaiting approval.', waitlisted: 'On the waitlist.' };
    return { title: 'Registered', detail: became[registrationStatus] ?? null };
  }
  if (type === 'participant.approved' && previous?.registrationStatus === 'waitlisted') {
    return { title: 'Promoted from the waitlist', detail: null };
  }
  if (substitution) {
    const { out, in: into } = substitution;
    const swap = `${into.name ?? into.id} for ${out.name ?? out.id}`;
    return { title: 'Substituted a player', detail: reason ? `${swap}: ${reason}` : `${swap}.` };
  }
  return { title: titles[type] ?? type.replace(/^participant\./, '').replaceAll('_', ' '), detail: reason };
}
