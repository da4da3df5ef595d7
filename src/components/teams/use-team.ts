'use client';

import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { refetchIntervalMs } from '@/components/teams/queries';
import type { TeamValues } from '@/components/teams/team-fields';
import { toastError, toastSuccess, toastUndo } from '@/components/ui/overlay/toaster';
import type { TeamRole } from '@/domain/teams/roles';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';
import type { Outputs } from '@/trpc/outputs';

export type Team = Outputs['teams']['read'];
export type TeamMember = Team['members'][number];

/** The team: rendered by the server first, then refetched. */
export function useTeam(teamId: string): Team {
  const trpc = useTRPC();
  const options = { refetchInterval: refetchIntervalMs, refetchOnWindowFocus: true };
  return useSuspenseQuery(trpc.teams.read.queryOptions({ teamId }, options)).data;
}

/** The actions of a team's captain and members. Those that can be undone offer it. */
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
      // Someone else saved first: the next attempt must be based on their version.
      if (readError(error).reason === 'VERSION_MISMATCH') await invalidateTeams();
      throw error;
    }
  }

  function restore() {
    return restoring
      .mutateAsync({ teamId })
      .then(async (team) => {
        await showTeam(team);
        toastSuccess(`${team.name} was restored`);
      })
      .catch(toastError);
  }

  async function disband() {
    try {
      await showTeam(await disbanding.mutateAsync({ teamId }));
      toastUndo(`${name} was disbanded`, restore);
    } catch (error) {
      toastError(error, `Could not disband ${name}`);
    }
  }

  /** Shown optimistically, and rolled back with the reason on an error. */
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
        toastError(error, `Could not change the role of ${member.name}`);
        return false;
      } finally {
        void invalidateTeams();
      }
      return true;
    };
    if (await put(role)) {
      toastUndo(`${member.name} is now a ${role}`, () => put(member.role));
    }
  }

  async function transferCaptaincy(member: TeamMember) {
    await updating.mutateAsync({ teamId, userId: member.userId, role: 'captain' });
    await invalidateTeams();
    toastSuccess(`${member.name} is now the captain`, 'You are now a player.');
  }

  async function remove(userId: string) {
    await removing.mutateAsync({ teamId, userId });
    await invalidateTeams();
  }

  const busy = disbanding.isPending || restoring.isPending;
  return { rename, disband, restore, setRole, transferCaptaincy, remove, busy };
}
