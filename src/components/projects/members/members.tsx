'use client';

import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { MailPlus } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { membersInput } from '@/components/projects/list-inputs';
import { Invitations } from '@/components/projects/members/invitations';
import { InviteDialog } from '@/components/projects/members/invite-dialog';
import { MadeByMember } from '@/components/projects/members/made-by-member';
import { Avatar } from '@/components/ui/data/avatar';
import { type Column, Table } from '@/components/ui/data/table';
import { Button } from '@/components/ui/form/button';
import { Select } from '@/components/ui/form/select';
import { Pagination } from '@/components/ui/navigation/pagination';
import { useShortcut } from '@/components/ui/navigation/use-shortcut';
import { ConfirmDialog } from '@/components/ui/overlay/dialog';
import { toastError, toastSuccess, toastUndo } from '@/components/ui/overlay/toaster';
import { PageHeader } from '@/components/ui/page/page-header';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { DateTime } from '@/components/ui/text/date-time';
import { can, grantableRoles, losesKeys } from '@/domain/projects/permissions';
import { type ProjectRole, projectRoles, roleDescription, roleWords } from '@/domain/projects/roles';
import { useTRPC } from '@/trpc/client';
import type { Outputs } from '@/trpc/outputs';

type Member = Outputs['projects']['members']['list']['items'][number];
type MemberChange = { member: Member; to: ProjectRole | null };

/** The project's members with their roles, and its pending invitations. For owners and admins. */
export function Members({
  project,
  viewerId,
}: {
  project: { id: string; slug: string; name: string; role: ProjectRole };
  viewerId: string;
}) {
  const trpc = useTRPC();
  const router = useRouter();
  const queryClient = useQueryClient();
  const [page, setPage] = useState(1);
  const [inviting, setInviting] = useState(false);
  const [asking, setAsking] = useState<MemberChange | null>(null);
  const list = useQuery({
    ...trpc.projects.members.list.queryOptions({ ...membersInput(project.id), page }),
    placeholderData: keepPreviousData,
  });
  const update = useMutation(trpc.projects.members.update.mutationOptions());
  const remove = useMutation(trpc.projects.members.remove.mutationOptions());
  useShortcut('i', 'Invite member', () => setInviting(true));

  const refresh = () => queryClient.invalidateQueries({ queryKey: trpc.projects.members.pathKey() });

  async function setRole(member: Member, role: ProjectRole, revokeKeys?: boolean) {
    await update.mutateAsync({ projectId: project.id, userId: member.userId, role, revokeKeys });
    await refresh();
    if (member.userId === viewerId) {
      toastSuccess(`Your role is now ${roleWords[role].name}`);
      router.refresh();
      return;
    }
    if (losesKeys(member.role, role)) {
      toastSuccess(`${member.name}’s role is now ${roleWords[role].name}`);
      await queryClient.invalidateQueries({ queryKey: trpc.projects.apiKeys.pathKey() });
      return;
    }
    toastUndo(`${member.name}’s role is now ${roleWords[role].name}`, () =>
      update
        .mutateAsync({ projectId: project.id, userId: member.userId, role: member.role })
        .then(refresh)
        .catch(toastError),
    );
  }

  function choose(member: Member, role: ProjectRole) {
    if (role === member.role) return;
    // Ask first, because nobody can raise their own role again, and revoked keys do not come back.
    if (member.userId === viewerId || losesKeys(member.role, role)) setAsking({ member, to: role });
    else setRole(member, role).catch((error: unknown) => toastError(error, `${member.name}’s role was not changed`));
  }

  const owners = list.data?.items.filter((member) => member.role === 'OWNER').length ?? 0;
  const wholeList = (list.data?.totalPages ?? 0) <= 1;
  const isLastOwner = (member: Member) => member.role === 'OWNER' && wholeList && owners === 1;
  const grantable = grantableRoles(project.role);
  const canChange = (member: Member) => grantable.includes(member.role) && !isLastOwner(member);

  const columns: Column<Member>[] = [
    {
      key: 'name',
      header: 'Name',
      phone: 'title',
      cell: (member) => (
        <span className="flex min-w-0 items-center gap-3 py-1">
          <Avatar name={member.name} size="sm" />
          <span className="grid min-w-0">
            <span className="truncate font-medium" dir="auto">
              {member.name}
              {member.userId === viewerId ? <span className="font-normal text-muted"> (you)</span> : null}
            </span>
            <span className="truncate text-xs text-muted sm:hidden">{member.email}</span>
          </span>
        </span>
      ),
    },
    { key: 'email', header: 'Email', phone: 'hide', cell: (member) => member.email },
    {
      key: 'role',
      header: 'Role',
      phone: 'line',
      className: 'sm:w-64',
      cell: (member) =>
        canChange(member) ? (
          <Select
            aria-label={`Role of ${member.name}`}
            className="h-8 sm:w-40"
            value={member.role}
            onValueChange={(role) => choose(member, role as ProjectRole)}
            options={grantable.map((role) => ({
              value: role,
              label: roleWords[role].name,
              hint: roleDescription(role),
            }))}
          />
        ) : (
          <span className="flex flex-wrap items-baseline gap-x-2">
            {roleWords[member.role].name}
            {isLastOwner(member) ? (
              <span className="text-xs text-muted">The only owner. Make someone else an owner first.</span>
            ) : null}
          </span>
        ),
    },
    {
      key: 'since',
      header: 'Member since',
      phoneLabel: 'Since',
      className: 'whitespace-nowrap',
      cell: (member) => <DateTime value={member.createdAt} style="date" />,
    },
    {
      key: 'actions',
      header: <span className="sr-only">Actions</span>,
      align: 'end',
      phone: 'end',
      cell: (member) => {
        const self = member.userId === viewerId;
        if (isLastOwner(member) || !(self || grantable.includes(member.role))) return null;
        return (
          <Button
            size="sm"
            variant="ghost"
            aria-label={self ? 'Leave project' : `Remove ${member.name}`}
            onClick={() => setAsking({ member, to: null })}
          >
            {self ? 'Leave' : 'Remove'}
          </Button>
        );
      },
    },
  ];

  return (
    <>
      <PageHeader
        title="Members"
        description={`The people who run ${project.name}. You can grant roles up to your own.`}
        actions={
          <Button variant="primary" icon={<MailPlus aria-hidden />} onClick={() => setInviting(true)}>
            Invite member
          </Button>
        }
      />
      <div className="grid grid-cols-1 gap-8">
        <div>
          {list.isPending ? (
            <SkeletonTable label="Loading members" rows={4} />
          ) : list.isError ? (
            <QueryError title="The members could not be loaded" query={list} />
          ) : (
            <>
              <Table caption="Members" rows={list.data.items} columns={columns} rowKey={(member) => member.userId} />
              <Pagination page={page} limit={list.data.limit} total={list.data.total} onPage={setPage} noun="members" />
            </>
          )}
        </div>
        <Invitations projectId={project.id} />
        <section className="grid gap-3">
          <h2 className="display text-lg">Roles</h2>
          <dl className="divide-y rounded border bg-surface">
            {projectRoles.map((role) => (
              <div key={role} className="grid gap-x-6 px-4 py-2.5 sm:grid-cols-[8rem_1fr]">
                <dt className="font-medium">{roleWords[role].name}</dt>
                <dd className="text-muted">{roleDescription(role)}</dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
      <InviteDialog open={inviting} onOpenChange={setInviting} project={project} />
      <ChangeDialog
        change={asking}
        self={asking?.member.userId === viewerId}
        project={project}
        onClose={() => setAsking(null)}
        onConfirm={async ({ member, to }, revokeKeys) => {
          if (to) return setRole(member, to, revokeKeys);
          await remove.mutateAsync({ projectId: project.id, userId: member.userId, revokeKeys });
          if (member.userId === viewerId) {
            router.push('/dashboard');
            router.refresh();
            return;
          }
          toastSuccess(`${member.name} was removed from the project`);
          await Promise.all([refresh(), queryClient.invalidateQueries({ queryKey: trpc.projects.apiKeys.pathKey() })]);
        }}
      />
    </>
  );
}

/** Asks for confirmation before someone leaves, is removed, no longer manages API keys, or lowers their own role. */
function ChangeDialog({
  change,
  self,
  project,
  onClose,
  onConfirm,
}: {
  change: MemberChange | null;
  self: boolean;
  project: { id: string; slug: string; name: string };
  onClose: () => void;
  onConfirm: (change: MemberChange, revokeKeys: boolean) => Promise<unknown>;
}) {
  const [revokeKeys, setRevokeKeys] = useState(true);
  const member = change?.member;
  const to = change?.to ?? null;
  const losesAccess = to !== null && !can(to, 'members:read');
  const roleName = to ? roleWords[to].name : '';
  const whose = self ? 'your' : `${member?.name}’s`;
  const title = to
    ? `Change ${whose} role to ${roleName}?`
    : self
      ? `Leave ${project.name}?`
      : `Remove ${member?.name}?`;
  return (
    <ConfirmDialog
      open={change !== null}
      onOpenChange={(open) => {
        if (open) return;
        setRevokeKeys(true);
        onClose();
      }}
      title={title}
      confirmLabel={to ? 'Change role' : self ? 'Leave project' : 'Remove member'}
      cancelLabel="Cancel"
      onConfirm={async () => change && onConfirm(change, revokeKeys)}
    >
      {to ? (
        <p>
          {self ? 'You cannot raise your own role again. Only another owner or admin can. ' : ''}
          {losesAccess
            ? `${self ? 'You lose' : `${member?.name} loses`} access to members, API keys, webhooks and settings right away.`
            : ''}
        </p>
      ) : (
        <p>
          {self ? 'You lose' : `${member?.name} loses`} access to this project right away. Tournaments stay as they are.
        </p>
      )}
      {member && (to === null || losesKeys(member.role, to)) ? (
        <MadeByMember
          project={project}
          userId={member.userId}
          self={self}
          revokeKeys={revokeKeys}
          onRevokeKeys={setRevokeKeys}
        />
      ) : null}
      {to ? null : <p>To come back, {self ? 'you need' : 'they need'} a new invitation.</p>}
    </ConfirmDialog>
  );
}
