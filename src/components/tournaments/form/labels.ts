import type { EditableField, TournamentFormat } from '@/domain/tournaments/rules';

/** Formats as players call them, with what each means for an entrant. */
export const formatDescriptions: Record<TournamentFormat, { word: string; about: string }> = {
  single_elimination: { word: 'Single elimination', about: 'One loss and you are out. Fastest.' },
  double_elimination: { word: 'Double elimination', about: 'A loss drops you to the lower bracket; two end it.' },
  round_robin: { word: 'Round robin', about: 'Everyone plays everyone; most points win.' },
  swiss: { word: 'Swiss', about: 'Each round pairs entrants of equal record.' },
  groups_to_knockout: { word: 'Groups, then knockout', about: 'The best of each group go on to a bracket.' },
};

/** What the form calls each setting. */
export const fieldLabels: Record<EditableField, string> = {
  name: 'Name',
  slug: 'Address',
  description: 'Description',
  rules: 'Rules',
  game: 'Game',
  format: 'Format',
  formatOptions: 'Format options',
  autoStart: 'Start by itself',
  noShowGraceMinutes: 'Grace before a no-show',
  resultMode: 'Who enters results',
  autoConfirmMinutes: 'Confirmation by silence',
  teamSize: 'Team size',
  rosterMin: 'Smallest roster',
  rosterMax: 'Largest roster',
  maxParticipants: 'Entrants at most',
  visibility: 'Who can see it',
  startDate: 'Start',
  timezone: 'Time zone',
  registrationOpensAt: 'Registration opens',
  registrationClosesAt: 'Registration closes',
  checkInOpensAt: 'Check-in opens',
  checkInClosesAt: 'Check-in closes',
  rosterLockAt: 'Rosters lock',
  requiresApproval: 'Approve each entrant',
  waitlistEnabled: 'Waitlist',
  allowCancel: 'Entrants may cancel',
  allowEdit: 'Entrants may edit',
  requiresAntiCheat: 'Anti-cheat required',
  customFields: 'Questions',
  entryFee: 'Entry fee',
  prizePool: 'Prize pool',
};
