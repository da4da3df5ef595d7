import type { Outputs } from '@/trpc/outputs';

export type AuditEntry = Outputs['projects']['auditLog']['list']['items'][number];

const sentences: Record<string, string> = {
  'project.create': 'created the project',
  'project.update': 'changed the project',
  'member.update': 'changed the role of',
  'member.remove': 'removed a member',
  'invitation.create': 'invited someone',
  'invitation.revoke': 'revoked an invitation',
  'invitation.accept': 'accepted an invitation',
  'api_key.create': 'made an API key',
  'api_key.revoke': 'revoked an API key',
  'tournament.create': 'created a tournament',
  'tournament.update': 'edited a tournament',
  'tournament.delete': 'deleted a draft',
  'tournament.seed': 'seeded a tournament',
  'tournament.publish': 'published a tournament',
  'tournament.cancel': 'cancelled a tournament',
  'tournament.registration_open': 'opened registration of',
  'tournament.registration_close': 'closed registration of',
  'tournament.check_in_open': 'opened check-in of',
  'tournament.check_in_close': 'closed check-in of',
  'participant.import': 'imported an entrant',
  'participant.approve': 'approved an entrant',
  'participant.reject': 'rejected an entrant',
  'participant.reconsider': 'took back the decision on an entrant',
  'participant.waitlist': 'waitlisted an entrant',
  'participant.promote': 'promoted an entrant',
  'participant.check_in': 'checked in an entrant',
  'participant.undo_check_in': 'took back the check-in of an entrant',
  'participant.mark_no_show': 'marked a no-show:',
  'participant.disqualify': 'disqualified an entrant',
  'participant.reinstate': 'reinstated an entrant',
  'participant.substitute': 'replaced a player of',
  'participant.remove': 'removed an entrant',
  'webhook.create': 'added a webhook',
  'webhook.update': 'changed a webhook',
  'webhook.replay': 'sent an event to a webhook again',
  'webhook.replay_many': 'sent events to a webhook again',
  'webhook.retry_failed': 'sent failed events to a webhook again',
  'webhook.delete': 'deleted a webhook',
  'webhook.reveal_secret': 'looked at a signing secret',
};

/** What was done, as the end of a sentence that begins with who did it; `of` names to what, where that is known. */
export function actionWords({ action, targetName }: AuditEntry): { words: string; of: string | null } {
  const words = sentences[action] ?? action.replaceAll('_', ' ').replace('.', ': ');
  if (!targetName) return { words: words.replace(/( of|:)$/, ''), of: null };
  return { words: words.replace(/ (a tournament|a draft|an entrant|a member)$/, ''), of: targetName };
}

/** Who did it. */
export function actorName({ actor }: AuditEntry): string {
  if (actor.name) return actor.name;
  return actor.type === 'system' ? 'Laurel' : actor.type === 'api_key' ? 'An API key' : 'Someone who is gone';
}

const shownDetail = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(shownDetail).join(', ');
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value);
};

/** What the entry says beyond the action, in its own order; ids say nothing to a reader. */
export function detailPairs(entry: AuditEntry): { name: string; value: string }[] {
  return Object.entries(entry.details)
    .map(([name, value]) => ({ name, value: shownDetail(value) }))
    .filter(({ name, value }) => value !== '' && name !== 'tournamentId');
}

/** What the log can be narrowed to. */
export const auditFilters = [
  { value: 'tournament', label: 'Tournaments' },
  { value: 'participant', label: 'Entrants' },
  { value: 'user', label: 'Members' },
  { value: 'invitation', label: 'Invitations' },
  { value: 'api_key', label: 'API keys' },
  { value: 'webhook_subscription', label: 'Webhooks' },
  { value: 'project', label: 'The project' },
] as const;

export type AuditFilter = (typeof auditFilters)[number]['value'];
