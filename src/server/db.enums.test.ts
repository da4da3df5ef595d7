import { expect, expectTypeOf, test } from 'vitest';
import * as participants from '@/domain/participants/statuses';
import * as plans from '@/domain/projects/plans';
import * as roles from '@/domain/projects/roles';
import * as teams from '@/domain/teams/roles';
import { tournamentFormat, tournamentStatus, tournamentVisibility } from '@/domain/tournaments/settings';
import * as database from '@/generated/prisma/enums';

/** Lists that the browser shares, and the enums of the database that they have to match. */
const pairs: [name: string, shared: readonly string[], stored: Record<string, string>][] = [
  ['ProjectRole', roles.projectRoles, database.ProjectRole],
  ['Plan', plans.planIds, database.Plan],
  ['RosterRole', teams.teamRoles, database.RosterRole],
  ['RegistrationStatus', participants.registrationStatuses, database.RegistrationStatus],
  ['ParticipantStatus', participants.participantStatuses, database.ParticipantStatus],
  ['TournamentStatus', tournamentStatus.options, database.TournamentStatus],
  ['TournamentFormat', tournamentFormat.options, database.TournamentFormat],
  ['TournamentVisibility', tournamentVisibility.options, database.TournamentVisibility],
];

test.each(pairs)('%s has the same values in the domain and in the database', (_name, shared, stored) => {
  expect([...shared].sort()).toEqual(Object.values(stored).sort());
});

test('the compiler knows it as well', () => {
  expectTypeOf<roles.ProjectRole>().toEqualTypeOf<database.ProjectRole>();
  expectTypeOf<plans.Plan>().toEqualTypeOf<database.Plan>();
  expectTypeOf<teams.TeamRole>().toEqualTypeOf<database.RosterRole>();
  expectTypeOf<participants.RegistrationStatus>().toEqualTypeOf<database.RegistrationStatus>();
  expectTypeOf<participants.ParticipantStatus>().toEqualTypeOf<database.ParticipantStatus>();
});
