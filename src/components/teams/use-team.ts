'use client';

import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { refetchIntervalMs } from '@/components/teams/queries';
import type { TeamValues } from '@/components/teams/team-fields';
import { toastError, toastSuccess, toastUndo } from '@/components/ui/overlay/toaster';
import { type TeamRole, teamRoleWords } from '@/domain/teams/roles';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';
import type { Outputs } from '@/trpc/outputs';

export type Team = Outputs['teams']['read'];
export type TeamMember = Team['members'][number];

/** The team, as the server rendered it and then as it is. */
export function useTeam(teamId: string): Team {
  const trpc = useTRPC();
  const options = { refetchInterval: refetchIntervalMs, refetchOnWindowFocus: true };
  return useSuspenseQuery(trpc.teams.read.queryOptions({ teamId }, options)).data;
}

/** What its captain and its members do with a team; what can be undone offers it. */
export function useTeamActions({ id: teamId, name, tag, version }: Team) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const key = trpc.teams.read.queryKey({ teamId });
  const update = useMutation(trpc.teams.update.mutationOptions());
  const disbanding = useMutation(trpc.teams.disband.mutationOptions());
  const restoring = useMutation(trpc.teams.restore.mutationOptions());
  const updating = useMutation(trpc.teams.members.update.mutationOptions());
  const removing = useMutation(trpc.teams.members.remove.mutationOptions());

  const invalidateTeams = () => queryClient.invalidateQueries({ queryKey: trpc.teams.pathKey() });
  async function showTeam(team: Team) {
    await queryClient.cancelQueries({ queryKey: key });
    queryClient.setQueryData(key, team);
    await invalidateTeams();
  }

  async function rename(values: TeamValues) {
    try {
      const after = await update.mutateAsync({ teamId, version, ...values });
      await showTeam(after);
      toastUndo('Saved', () =>
        update.mutateAsync({ teamId, version: after.version, name, tag }).then(showTeam).catch(toastError),
      );
    } catch (error) {
      // Someone else was quicker: what the form is compared with must be what is there now.
      if (readError(error).reason === 'VERSION_MISMATCH') await invalidateTeams();
      throw error;
    }
  }

  function restore() {
    return restoring
      .mutateAsync({ teamId })
      .then(async (team) => {
        await showTeam(team);
        toastSuccess(`${team.name} is back`);
      })
      .catch(toastError);
  }

  async function disband() {
    try {
      await showTeam(await disbanding.mutateAsync({ teamId }));
      toastUndo(`${name} is disbanded`, restore);
    } catch (error) {
      toastError(error, `${name} is not disbanded`);
    }
  }

  /** Shown at once, and taken back with the reason when refused. */
  async function setRole(member: TeamMember, role: TeamRole) {
    const put = async (to: TeamRole) => {
      await queryClient.cancelQueries({ queryKey: key });
      const before = queryClient.getQueryData(key);
      queryClient.setQueryData(key, (team) => {
        const members = team?.members.map((each) => (each.userId === member.userId ? { ...each, role: to } : each));
        return team && members && { ...team, members };
      });
      try {
        await updating.mutateAsync({ teamId, userId: member.userId, role: to });
      } catch (error) {
        queryClient.setQueryData(key, before);
        toastError(error, `${member.name} keeps their role`);
        return false;
      } finally {
        void invalidateTeams();
      }
      return true;
    };
    if (await put(role)) {
      toastUndo(`${member.name} is ${teamRoleWords[role].name.toLowerCase()} now`, () => put(member.role));
    }
  }

  async function transferCaptaincy(member: TeamMember) {
    await updating.mutateAsync({ teamId, userId: member.userId, role: 'captain' });
    await invalidateTeams();
    toastSuccess(`${member.name} is captain now`, 'You are a player of the team.');
  }

  async function remove(userId: string) {
    await removing.mutateAsync({ teamId, userId });
    await invalidateTeams();
  }

  const busy = disbanding.isPending || restoring.isPending;
  return { rename, disband, restore, setRole, handOver: transferCaptaincy, remove, busy };
}
