'use client';

import { useQueryClient } from '@tanstack/react-query';
import { Plus, Trash2 } from 'lucide-react';
import Link from 'next/link';
import { Controller, useFieldArray, useFormContext, useWatch } from 'react-hook-form';
import type { Player } from '@/components/tournaments/public/action-bar';
import {
  emptyRoster,
  type RegistrationValues,
  type RosterRow,
  rosterFromTeam,
  selectedPlayers,
} from '@/components/tournaments/registration/registration-form';
import { rosterSizeText } from '@/components/tournaments/registration/roster-size-text';
import type { RegistrationForm } from '@/components/tournaments/use-tournament';
import { cn } from '@/components/ui/cn';
import { Button } from '@/components/ui/form/button';
import { Field } from '@/components/ui/form/field';
import { Input } from '@/components/ui/form/input';
import { Select } from '@/components/ui/form/select';
import { toastError } from '@/components/ui/overlay/toaster';
import { Copy } from '@/components/ui/text/copy';
import { useTRPC } from '@/trpc/client';

type Limits = NonNullable<RegistrationForm['team']>;
type Choice = { id: string; name: string };

const byPlayerIds = 'ids';
const roles = [
  { value: 'player', label: 'Player' },
  { value: 'substitute', label: 'Substitute' },
];
const rolesOrOut = [...roles, { value: 'out', label: 'Not playing' }];

/** The team, its name and its roster. The viewer is the captain. */
export function RosterFields({
  limits,
  player,
  teams,
  isFixed,
  isLocked,
}: {
  limits: Limits;
  player: Player;
  /** The teams the viewer is captain of. */
  teams: Choice[];
  /** Whether the team can no longer change because it is registered. */
  isFixed: boolean;
  /** Whether only the organizer can change the roster. */
  isLocked: boolean;
}) {
  const { register, formState } = useFormContext<RegistrationValues>();
  const { errors } = formState;
  return (
    <>
      {isFixed ? null : <TeamSelect limits={limits} player={player} teams={teams} />}
      <Field label="Team name" required error={errors.teamName?.message} hint="Shown in the bracket.">
        <Input {...register('teamName')} dir="auto" autoComplete="off" maxLength={80} />
      </Field>
      {isLocked ? null : <Roster limits={limits} player={player} />}
    </>
  );
}

function TeamSelect({ limits, player, teams }: { limits: Limits; player: Player; teams: Choice[] }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { control, setValue, clearErrors, formState } = useFormContext<RegistrationValues>();
  const teamId = useWatch({ control, name: 'teamId' });
  if (teams.length === 0) {
    return (
      <p className="text-muted">
        Playing together regularly?{' '}
        <Link href="/teams/new" className="text-accent underline underline-offset-4">
          Create a team
        </Link>
        , and the roster is filled in for you next time.
      </p>
    );
  }

  async function choose(value: string) {
    clearErrors();
    if (value === byPlayerIds) {
      setValue('teamId', '');
      setValue('teamName', '');
      setValue('teamMembers', emptyRoster(player, limits));
      return;
    }
    try {
      const team = await queryClient.fetchQuery(trpc.teams.read.queryOptions({ teamId: value }));
      setValue('teamId', team.id);
      setValue('teamName', team.name);
      setValue('teamMembers', rosterFromTeam(team.members, player.id, limits));
    } catch (error) {
      toastError(error, 'The team could not be loaded');
    }
  }

  return (
    <Field label="Team" required error={formState.errors.teamId?.message}>
      <Select
        value={teamId || byPlayerIds}
        onValueChange={(value) => void choose(value)}
        options={[
          ...teams.map(({ id, name }) => ({ value: id, label: name, hint: 'Your team' })),
          { value: byPlayerIds, label: 'Enter player IDs', hint: 'Register without a saved team' },
        ]}
      />
    </Field>
  );
}

function Roster({ limits, player }: { limits: Limits; player: Player }) {
  const { control, formState } = useFormContext<RegistrationValues>();
  const { fields, append, remove } = useFieldArray({ control, name: 'teamMembers' });
  const rows = useWatch({ control, name: 'teamMembers' });
  const teamId = useWatch({ control, name: 'teamId' });
  const { teamMembers } = formState.errors;
  const count = selectedPlayers(rows).length;
  const isValidSize = count >= limits.rosterMin && count <= limits.rosterMax;
  const rosterError = teamMembers?.message ?? teamMembers?.root?.message;
  return (
    <fieldset className="grid grid-cols-1 gap-3">
      <legend className="mb-2 flex w-full items-baseline justify-between gap-3 font-medium text-ink">
        <span>Roster, {rosterSizeText(limits)}</span>
        <span className={cn('numerals font-normal', isValidSize ? 'text-muted' : 'text-danger')}>{count} selected</span>
      </legend>
      {teamId ? null : (
        <p className="text-xs text-faint">
          Players can find their player ID under My tournaments. Yours is{' '}
          <Copy value={player.id} label="Copy your player ID" />
        </p>
      )}
      <ol className="grid grid-cols-1 gap-3">
        {fields.map((field, index) => (
          <RosterRowFields
            key={field.id}
            index={index}
            row={rows[index] ?? field}
            isViewer={field.userId === player.id}
            canBeOut={Boolean(teamId)}
            onRemove={fields.length > limits.rosterMin ? () => remove(index) : null}
            error={teamMembers?.[index]?.userId?.message}
          />
        ))}
      </ol>
      {rosterError ? (
        <p role="alert" className="text-danger">
          {rosterError}
        </p>
      ) : null}
      {teamId && fields.length < limits.rosterMin ? (
        <p className="text-muted">
          The team does not have enough members.{' '}
          <Link href={`/teams/${teamId}`} className="text-accent underline underline-offset-4">
            Invite more
          </Link>
          .
        </p>
      ) : null}
      {teamId ? null : (
        <Button
          className="justify-self-start"
          disabled={fields.length >= limits.rosterMax}
          onClick={() =>
            append({ userId: '', name: '', role: fields.length < limits.teamSize ? 'player' : 'substitute' })
          }
          icon={<Plus aria-hidden />}
        >
          Add a player
        </Button>
      )}
    </fieldset>
  );
}

/** One player of the roster: a team member by name, anyone else by player ID. */
function RosterRowFields({
  index,
  row,
  isViewer,
  canBeOut,
  onRemove,
  error,
}: {
  index: number;
  row: RosterRow;
  isViewer: boolean;
  canBeOut: boolean;
  onRemove: (() => void) | null;
  error?: string;
}) {
  const { control, register } = useFormContext<RegistrationValues>();
  if (row.role === 'captain') {
    return (
      <li className="flex min-h-9 items-center justify-between gap-3 rounded border px-3 py-2">
        <span className="min-w-0 truncate">
          <bdi>{row.name}</bdi>
        </span>
        <span className="text-xs text-faint">{isViewer ? 'Captain (you)' : 'Captain'}</span>
      </li>
    );
  }
  const playerLabel = row.name || `player ${index + 1}`;
  return (
    <li className="grid grid-cols-1 gap-1">
      <div
        className={cn(
          'grid items-center gap-2',
          canBeOut || row.name
            ? 'grid-cols-[minmax(0,1fr)_auto]'
            : 'grid-cols-[minmax(0,1fr)_auto] sm:grid-cols-[minmax(0,1fr)_auto_auto]',
          row.name && !canBeOut && 'grid-cols-[minmax(0,1fr)_auto_auto]',
        )}
      >
        {row.name ? (
          <span className={cn('min-w-0 truncate pl-3', row.role === 'out' && 'text-faint')}>
            <bdi>{row.name}</bdi>
          </span>
        ) : (
          <Field
            label={`ID of player ${index + 1}`}
            hideLabel
            required
            className="-mt-1.5 max-sm:col-span-full"
            error={error}
          >
            <Input
              {...register(`teamMembers.${index}.userId`)}
              placeholder="usr_…"
              autoComplete="off"
              spellCheck={false}
              className="font-mono"
            />
          </Field>
        )}
        <Controller
          control={control}
          name={`teamMembers.${index}.role`}
          render={({ field: role }) => (
            <Select
              aria-label={`Role of ${playerLabel}`}
              value={role.value}
              onValueChange={role.onChange}
              options={canBeOut ? rolesOrOut : roles}
              className={cn('sm:w-36', row.name ? 'w-36' : 'w-full')}
            />
          )}
        />
        {canBeOut ? null : (
          <Button
            variant="ghost"
            size="icon"
            aria-label={`Remove ${playerLabel}`}
            disabled={!onRemove}
            onClick={() => onRemove?.()}
            icon={<Trash2 aria-hidden />}
          />
        )}
      </div>
      {row.name && error ? <p className="pl-3 text-danger">{error}</p> : null}
    </li>
  );
}
