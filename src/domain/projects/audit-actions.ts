/**
 * Every action in the audit log of a project: what it is about, and what was done. The dashboard has a sentence for
 * each.
 */
export type ProjectAuditAction =
  | `project.${'create' | 'update'}`
  | `member.${'update' | 'remove'}`
  | `invitation.${'create' | 'revoke' | 'accept'}`
  | `api_key.${'create' | 'revoke'}`
  | 'game.create'
  | `tournament.${'create' | 'update' | 'delete' | 'publish' | 'cancel' | 'complete' | 'import'}`
  | `tournament.${'registration_open' | 'registration_close' | 'check_in_open' | 'check_in_close'}`
  | `tournament.${'start' | 'draw' | 'seed' | 'seed_stage' | 'rule_tie' | 'withdraw_ruling' | 'stream_queue'}`
  | `station.${'create' | 'update' | 'delete'}`
  | `match.${MatchAuditAction}`
  | `participant.${'add' | 'import' | 'edit' | 'create_claim_link' | 'substitute'}`
  | `participant.${'approve' | 'reject' | 'reconsider' | 'waitlist' | 'promote' | 'remove' | 'withdraw'}`
  | `participant.${'check_in' | 'undo_check_in' | 'mark_no_show' | 'disqualify' | 'reinstate'}`
  | `detection.${'confirm' | 'dismiss' | 'mark_inconclusive' | 'reopen'}`
  | 'evidence.view'
  | 'anti_cheat_rules.update'
  | `anti_cheat_session.${'start' | 'end'}`
  | `webhook.${'create' | 'update' | 'delete' | 'pause' | 'resume' | 'reset_breaker' | 'rotate_secret' | 'reveal_secret'}`
  | `webhook.${'test' | 'replay' | 'replay_many' | 'retry_failed'}`;

/** What staff do about a match. */
export type MatchAuditAction =
  | ('start' | 'report' | 'confirm' | 'dispute' | 'resolve' | 'forfeit' | 'reschedule')
  | ('correct' | 'reopen' | 'result_lost' | 'remove_report')
  | ('assign' | 'unassign' | 'call' | 'call_back');

/**
 * Actions of accounts and teams, which belong to no project: they are stored, and no dashboard shows them. Anybody may enroll
 * anti-cheat clients, and could otherwise fill the log of somebody else's project.
 */
export type AccountAuditAction =
  | `user.${'sign_out' | 'password_reset' | 'password_change'}`
  | `access_token.${'create' | 'revoke'}`
  | `anti_cheat_client.${'enroll' | 'rotate' | 'revoke'}`
  | `team.${'create' | 'update' | 'disband' | 'restore'}`
  | `team_invitation.${'create' | 'revoke' | 'accept' | 'decline'}`
  | `team_member.${'update' | 'remove'}`;

/** What the entries of a project's audit log are about. */
export const auditTargets = [
  'tournament',
  'participant',
  'match',
  'station',
  'game',
  'project',
  'user',
  'invitation',
  'api_key',
  'webhook_subscription',
  'anti_cheat_rules',
  'anti_cheat_session',
  'detection',
  'evidence',
] as const;
export type AuditTarget = (typeof auditTargets)[number];
