import { fieldLabels } from '@/components/tournaments/form/labels';
import { authModeLabels, settingLabels } from '@/components/webhooks/labels';
import { type AuditTarget, auditTargets, type ProjectAuditAction } from '@/domain/projects/audit-actions';
import { plans } from '@/domain/projects/plans';
import { roleWords } from '@/domain/projects/roles';
import type { Outputs } from '@/trpc/outputs';

export type AuditEntry = Outputs['projects']['auditLog']['list']['items'][number];

/** A piece of a sentence. `path` is the page of what it names, below the project's dashboard. */
export type SentencePart = { text: string; path?: string; isName?: boolean };

/**
 * The sentence of each action, after its actor. `{object}` is what the entry is about, every other placeholder one of its
 * details.
 */
const sentences: Record<ProjectAuditAction | 'member.leave' | 'project.change_plan', string> = {
  'project.create': 'created {object}',
  'project.update': 'changed the settings of {object}',
  'project.change_plan': 'changed the plan of {object} to {plan}',
  'member.update': 'changed {object}’s role from {from} to {to}',
  'member.remove': 'removed {object} from the project',
  'member.leave': 'left the project',
  'invitation.create': 'invited {object} as {role}',
  'invitation.revoke': 'revoked the invitation of {object}',
  'invitation.accept': 'joined the project as {role}',
  'api_key.create': 'created the API key {object}',
  'api_key.revoke': 'revoked the API key {object}',
  'game.create': 'added the game {object}',
  'tournament.create': 'created {object}',
  'tournament.update': 'edited {object}',
  'tournament.delete': 'deleted the draft {object}',
  'tournament.start': 'started {object}',
  'tournament.draw': 'drew {object} again',
  'tournament.seed': 'seeded {object}',
  'tournament.seed_stage': 'seeded the stage {stage} of {object}',
  'tournament.rule_tie': 'decided a tie in {object}: {reason}',
  'tournament.withdraw_ruling': 'took back a decided tie in {object}',
  'tournament.stream_queue': 'changed the stream queue of {object}',
  'station.create': 'added the station {name}',
  'station.update': 'changed the station {name}',
  'station.delete': 'removed the station {name}',
  'match.start': 'started {object}',
  'match.report': 'reported the result of {object}',
  'match.confirm': 'confirmed the result of {object}',
  'match.dispute': 'disputed the result of {object}',
  'match.resolve': 'decided {object}',
  'match.forfeit': 'decided {object} by forfeit',
  'match.reschedule': 'rescheduled {object}',
  'match.correct': 'corrected the result of {object}',
  'match.reopen': 'reopened {object}',
  'match.remove_report': 'removed the reported result of {object}',
  'match.result_lost': 'took the result of {object} by correcting an earlier one',
  'match.assign': 'assigned {object} to {station}',
  'match.unassign': 'took {object} off its station',
  'match.call': 'called the players of {object}',
  'match.call_back': 'took back the call of {object}',
  'tournament.complete': 'completed {object}',
  'tournament.import': 'imported {object}',
  'tournament.publish': 'published {object}',
  'tournament.cancel': 'cancelled {object}',
  'tournament.registration_open': 'opened registration for {object}',
  'tournament.registration_close': 'closed registration for {object}',
  'tournament.check_in_open': 'opened check-in for {object}',
  'tournament.check_in_close': 'closed check-in for {object}',
  'participant.import': 'imported {object}',
  'participant.add': 'added {object}',
  'participant.edit': 'edited {object}',
  'participant.create_claim_link': 'created a claim link for {object}',
  'participant.approve': 'approved {object}',
  'participant.reject': 'rejected {object}',
  'participant.reconsider': 'reopened the registration of {object}',
  'participant.waitlist': 'moved {object} to the waitlist',
  'participant.promote': 'promoted {object} from the waitlist',
  'participant.check_in': 'checked in {object}',
  'participant.undo_check_in': 'undid the check-in of {object}',
  'participant.mark_no_show': 'marked {object} as a no-show',
  'participant.disqualify': 'disqualified {object}',
  'participant.reinstate': 'reinstated {object}',
  'participant.substitute': 'substituted a player of {object}',
  'participant.withdraw': 'withdrew {object}',
  'participant.remove': 'removed {object}',
  'detection.confirm': 'confirmed {object}',
  'detection.dismiss': 'dismissed {object}',
  'detection.mark_inconclusive': 'marked {object} as inconclusive',
  'detection.reopen': 'took back the review of {object}',
  'evidence.view': 'viewed {object}',
  'webhook.create': 'created {object}',
  'webhook.update': 'edited {object}',
  'webhook.delete': 'deleted {object}',
  'webhook.pause': 'paused {object}',
  'webhook.resume': 'resumed {object}',
  'webhook.reset_breaker': 'reset the circuit breaker of {object}',
  'webhook.rotate_secret': 'rotated the signing secret of {object}',
  'webhook.reveal_secret': 'viewed the signing secret of {object}',
  'webhook.test': 'sent a test to {object}',
  'webhook.replay': 'resent a delivery of {object}',
  'webhook.replay_many': 'resent {total} deliveries of {object}',
  'webhook.retry_failed': 'resent {requeued} failed deliveries of {object}',
  'anti_cheat_rules.update': 'changed the anti-cheat rules of {object}: {rules}',
  'anti_cheat_session.start': 'started an anti-cheat session for {object}',
  'anti_cheat_session.end': 'ended {object}',
};

const withoutScheme = (url: string) => url.replace(/^https?:\/\//, '');

const readDetail = (entry: AuditEntry, name: string): string | null => {
  const value = entry.details[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
};

/** What the entry is about: its name, where it is known, and its page. */
function describeObject(entry: AuditEntry): SentencePart {
  const { targetId, targetName } = entry;
  const named = (name: string | null, fallback: string, path?: string): SentencePart =>
    name === null ? { text: fallback, path } : { text: name, path, isName: true };
  switch (entry.targetType) {
    case 'user':
      return named(targetName, 'a deleted user', targetName === null ? undefined : '/members');
    case 'tournament':
      return targetName === null
        ? named(readDetail(entry, 'name'), 'a deleted tournament')
        : named(targetName, '', `/tournaments/${targetId}`);
    case 'participant': {
      const tournamentId = readDetail(entry, 'tournamentId');
      return named(targetName, 'a participant', tournamentId ? `/tournaments/${tournamentId}` : undefined);
    }
    case 'match': {
      const [number, tournamentId] = [readDetail(entry, 'number'), readDetail(entry, 'tournamentId')];
      return {
        text: number ? `M${number}` : 'a match',
        path: tournamentId ? `/tournaments/${tournamentId}` : undefined,
      };
    }
    case 'webhook_subscription': {
      const path = entry.action === 'webhook.delete' ? undefined : `/webhooks/${targetId}`;
      const url = readDetail(entry, 'url');
      return { text: url ? `the webhook to ${withoutScheme(url)}` : 'a webhook', path };
    }
    case 'detection': {
      const rule = readDetail(entry, 'rule');
      return { text: rule ? `the detection “${rule}”` : 'a detection', path: `/anti-cheat/detections/${targetId}` };
    }
    case 'evidence': {
      const detectionId = readDetail(entry, 'detectionId');
      return { text: 'evidence', path: detectionId ? `/anti-cheat/detections/${detectionId}` : undefined };
    }
    case 'game':
      return named(readDetail(entry, 'name'), targetId);
    case 'api_key':
      return named(readDetail(entry, 'name'), targetId, '/api-keys');
    case 'invitation':
      return named(readDetail(entry, 'email'), 'someone', '/members');
    case 'anti_cheat_rules':
      return { text: readDetail(entry, 'game') ?? targetId, path: `/anti-cheat/rules?game=${targetId}` };
    case 'anti_cheat_session': {
      const number = readDetail(entry, 'number');
      return { text: number ? `M${number}` : 'an anti-cheat session', path: `/anti-cheat/sessions/${targetId}` };
    }
    case 'project':
      return { text: 'the project', path: '/settings' };
    default:
      return { text: targetId };
  }
}

/** The key of the entry's sentence: some actions read differently by their details. */
function sentenceKey({ action, actor, targetId, details }: AuditEntry): string {
  if (action === 'member.remove' && actor.id === targetId) return 'member.leave';
  if (action === 'project.update' && details.plan !== undefined && details.name === undefined) {
    return 'project.change_plan';
  }
  return action;
}

/** The names of values that are codes. A map, since a value can be what a person wrote, such as `constructor`. */
const valueNames = new Map<string, string>([
  ...Object.entries(roleWords).map(([role, { name }]) => [role, name] as const),
  ...Object.entries(plans).map(([plan, { name }]) => [plan, name] as const),
  ...Object.entries(authModeLabels),
]);

const detailLabels: Record<string, string> = {
  removeNoShows: 'No-shows removed',
  mode: 'Authentication',
  slug: 'URL',
  from: 'Previous status',
};

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value)) return value.map(formatValue).join(', ');
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([name, inner]) => `${humanize(name)} ${formatValue(inner)}`)
      .join(', ');
  }
  const text = String(value);
  return valueNames.get(text) ?? text;
}

/** `maxParticipants` as `max participants`. */
function humanize(name: string): string {
  return name.replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);
}

/** None for actions of an earlier release. */
const findSentence = (entry: AuditEntry) => (sentences as Partial<Record<string, string>>)[sentenceKey(entry)];

/** Who did it. */
export function actorName({ actor }: AuditEntry): string {
  if (actor.name) return actor.name;
  return actor.type === 'system' ? 'Laurel' : actor.type === 'api_key' ? 'An API key' : 'A deleted user';
}

/** What was done, as the rest of a sentence that starts with the actor. */
export function describeAuditEntry(entry: AuditEntry): SentencePart[] {
  const template = findSentence(entry);
  if (!template) return [{ text: `changed ` }, describeObject(entry), { text: ` (${entry.action})` }];
  return template
    .split(/(\{\w+\})/)
    .filter(Boolean)
    .map((piece) => {
      if (piece === '{object}') return describeObject(entry);
      const placeholder = /^\{(\w+)\}$/.exec(piece)?.[1];
      return { text: placeholder ? formatValue(entry.details[placeholder]) : piece };
    });
}

/** The names of changed settings: `Name, Maximum participants`. */
function formatChanges(targetType: string, changes: unknown[]): string {
  const labels: Record<string, string> = targetType === 'tournament' ? fieldLabels : settingLabels;
  return changes.map((name) => labels[String(name)] ?? sentenceCase(humanize(String(name)))).join(', ');
}

const sentenceCase = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The details that the sentence does not contain. IDs are left out: they say nothing to a reader. */
export function remainingDetails(entry: AuditEntry): { label: string; value: string }[] {
  const template = findSentence(entry) ?? '';
  const { text: object } = describeObject(entry);
  return Object.entries(entry.details).flatMap(([name, raw]) => {
    if (name === 'changes' && Array.isArray(raw)) {
      return [{ label: 'Changed', value: formatChanges(entry.targetType, raw) }];
    }
    const value = formatValue(raw);
    const isShown = template.includes(`{${name}}`) || object.includes(withoutScheme(value));
    if (value === '' || isShown || /Ids?$/.test(name)) return [];
    return [{ label: detailLabels[name] ?? sentenceCase(humanize(name)), value }];
  });
}

const filterLabels: Record<AuditTarget, string> = {
  tournament: 'Tournaments',
  participant: 'Participants',
  match: 'Matches',
  station: 'Stations',
  game: 'Games',
  user: 'Members',
  invitation: 'Invitations',
  api_key: 'API keys',
  webhook_subscription: 'Webhooks',
  anti_cheat_rules: 'Anti-cheat rules',
  anti_cheat_session: 'Anti-cheat sessions',
  detection: 'Detections',
  evidence: 'Evidence',
  project: 'Project settings',
};

/** What the log can be filtered by. */
export const auditFilters = auditTargets.map((value) => ({ value, label: filterLabels[value] }));
