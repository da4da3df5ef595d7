'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link2, Mail } from 'lucide-react';
import { useState } from 'react';
import { Controller } from 'react-hook-form';
import type { z } from 'zod';
import type { Team } from '@/components/teams/use-team';
import { Button } from '@/components/ui/form/button';
import { RadioCards } from '@/components/ui/form/choices';
import { Field } from '@/components/ui/form/field';
import { Form } from '@/components/ui/form/form';
import { FormError, useFormErrors } from '@/components/ui/form/form-error';
import { Input } from '@/components/ui/form/input';
import { useForm } from '@/components/ui/form/use-form';
import { Dialog } from '@/components/ui/overlay/dialog';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { Copy } from '@/components/ui/text/copy';
import { DateTime, useViewerZone } from '@/components/ui/text/date-time';
import { teamInviteForm } from '@/domain/teams/invitations';
import { invitableRoles, teamRoleWords } from '@/domain/teams/roles';
import { formatInstant } from '@/domain/time/zones';
import { useTRPC } from '@/trpc/client';
import type { Outputs } from '@/trpc/outputs';

type Values = z.infer<typeof teamInviteForm>;
type CreatedInvitation = Outputs['teams']['members']['invite'];

const roleOptions = invitableRoles.map((role) => ({
  value: role,
  label: teamRoleWords[role].name,
  hint: teamRoleWords[role].description,
}));
const methodOptions = [
  { value: 'person', label: 'One person', hint: 'By email address or player ID.', icon: <Mail aria-hidden /> },
  { value: 'link', label: 'Join link', hint: 'Anyone with the link can join.', icon: <Link2 aria-hidden /> },
];

/** Invites one person, or creates a link that anyone can join with. */
export function InviteDialog({ team, onClose }: { team: Team; onClose: () => void }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const zone = useViewerZone();
  const [link, setLink] = useState<CreatedInvitation | null>(null);
  const form = useForm<Values>({
    resolver: zodResolver(teamInviteForm),
    defaultValues: { way: 'person', who: '', role: 'player' },
  });
  const { formError, showError, clearError } = useFormErrors(form, { email: 'who', userId: 'who' });
  const invite = useMutation(
    trpc.teams.members.invite.mutationOptions({
      onMutate: clearError,
      onError: showError,
      onSuccess: async (invitation) => {
        await queryClient.invalidateQueries({ queryKey: trpc.teams.invitations.pathKey() });
        if (invitation.kind === 'link') {
          setLink(invitation);
          return;
        }
        toastSuccess(
          `Invitation sent to ${invitation.player?.name ?? invitation.email}`,
          `It expires ${formatInstant(invitation.expiresAt, zone, 'short')}.`,
        );
        onClose();
      },
    }),
  );
  const way = form.watch('way');
  const submit = form.handleSubmit(({ who, role }) => {
    const person = way === 'link' ? {} : who.startsWith('usr_') ? { userId: who } : { email: who };
    invite.mutate({ teamId: team.id, role, ...person });
  });

  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !invite.isPending) onClose();
      }}
      title="Invite to the team"
      description={<bdi>{team.name}</bdi>}
      footer={
        link ? (
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" form="team-invite" variant="primary" loading={invite.isPending}>
              {way === 'link' ? 'Create link' : 'Send invitation'}
            </Button>
          </>
        )
      }
    >
      {link?.url ? (
        <div className="grid grid-cols-1 gap-3">
          <p>Send this link to your players. It is shown only once; you can create a new one at any time.</p>
          <p className="flex min-w-0 rounded border bg-sunken px-3 py-2">
            <Copy value={link.url} label="Copy the join link" />
          </p>
          <p className="text-muted">
            It expires <DateTime value={link.expiresAt} style="short" /> unless you revoke it first.
          </p>
        </div>
      ) : (
        <Form id="team-invite" className="grid gap-5" onSubmit={submit}>
          <FormError error={formError} />
          <Controller
            control={form.control}
            name="way"
            render={({ field }) => (
              <Field label="Invite by" hideLabel group>
                <RadioCards value={field.value} onValueChange={field.onChange} options={methodOptions} />
              </Field>
            )}
          />
          {way === 'person' ? (
            <Field
              label="Email address or player ID"
              required
              error={form.formState.errors.who?.message}
              hint="They get an email with a personal link. Players can find their ID under My tournaments."
            >
              <Input
                {...form.register('who')}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                placeholder="name@example.com"
              />
            </Field>
          ) : (
            <p className="text-muted">A new link replaces the previous one.</p>
          )}
          <Controller
            control={form.control}
            name="role"
            render={({ field }) => (
              <Field label="Role" required group>
                <RadioCards value={field.value} onValueChange={field.onChange} options={roleOptions} />
              </Field>
            )}
          />
        </Form>
      )}
    </Dialog>
  );
}
