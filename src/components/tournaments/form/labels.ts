import type { EditableField, TournamentFormat } from '@/domain/tournaments/rules';

/** What each format means for a participant. */
export const formatDescriptions: Record<TournamentFormat, string> = {
  single_elimination: 'One loss and you are out. The fastest format.',
  double_elimination: 'The first loss drops you to the lower bracket, the second eliminates you.',
  round_robin: 'Everyone plays everyone. The most points win.',
  swiss: 'Each round pairs participants with similar records.',
  groups_to_knockout: 'The top participants of each group advance to a bracket.',
};

/** The label of each setting. */
export const fieldLabels: Record<EditableField, string> = {
  name: 'Name',
  slug: 'Page address',
  description: 'Description',
  rules: 'Rules',
  game: 'Game',
  format: 'Format',
  formatOptions: 'Format options',
  autoStart: 'Automatic start',
  noShowGraceMinutes: 'No-show grace period',
  resultMode: 'Who enters results',
  autoConfirmMinutes: 'Automatic confirmation',
  teamSize: 'Team size',
  rosterMin: 'Minimum roster size',
  rosterMax: 'Maximum roster size',
  maxParticipants: 'Maximum participants',
  visibility: 'Visibility',
  startDate: 'Start',
  timezone: 'Time zone',
  registrationOpensAt: 'Registration opens',
  registrationClosesAt: 'Registration closes',
  checkInOpensAt: 'Check-in opens',
  checkInClosesAt: 'Check-in closes',
  rosterLockAt: 'Rosters lock',
  requiresApproval: 'Require approval',
  waitlistEnabled: 'Waitlist',
  allowCancel: 'Participants can cancel',
  allowEdit: 'Participants can edit their answers',
  requiresAntiCheat: 'Require anti-cheat',
  customFields: 'Questions',
  entryFee: 'Entry fee',
  prizePool: 'Prize pool',
};
