'use client';

import { Plus, Trash2 } from 'lucide-react';
import { Controller, useFieldArray, useFormContext } from 'react-hook-form';
import type { Player } from '@/components/tournaments/action-bar';
import type { RegisterValues } from '@/components/tournaments/register-form';
import type { Tournament } from '@/components/tournaments/use-tournament';
import { Button } from '@/components/ui/button';
import { Copy } from '@/components/ui/copy';
import { Field } from '@/components/ui/field';
import { Input } from '@/components/ui/input';
import { Select } from '@/components/ui/select';

const roles = [
  { value: 'player', label: 'Player' },
  { value: 'substitute', label: 'Substitute' },
];

/** The team's name and its roster; who registers is its captain. */
export function RosterFields({ tournament, player }: { tournament: Tournament; player: Player }) {
  const { control, register, formState } = useFormContext<RegisterValues>();
  const { fields, append, remove } = useFieldArray({ control, name: 'teamMembers' });
  const { errors } = formState;
  const { rosterMin, rosterMax } = tournament;
  const wanted = rosterMin === rosterMax ? `${rosterMin} players` : `${rosterMin} to ${rosterMax} players`;
  const whole = errors.teamMembers?.message ?? errors.teamMembers?.root?.message;

  return (
    <>
      <Field label="Team name" required error={errors.teamName?.message}>
        <Input {...register('teamName')} dir="auto" autoComplete="off" maxLength={80} />
      </Field>
      <fieldset className="grid grid-cols-1 gap-3">
        <legend className="font-medium text-ink">Roster, {wanted}</legend>
        <p className="text-xs text-faint">
          Players find their player id under My tournaments. Yours is{' '}
          <Copy value={player.id} label="Copy your player id" />
        </p>
        <ol className="grid grid-cols-1 gap-3">
          {fields.map((field, index) => (
            <li
              key={field.id}
              className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-2 sm:grid-cols-[minmax(0,1fr)_auto_auto]"
            >
              {index === 0 ? (
                <p className="col-span-full flex items-baseline justify-between gap-3 rounded border px-3 py-2">
                  <span className="min-w-0 truncate">
                    <bdi>{player.name}</bdi>
                  </span>
                  <span className="text-xs text-faint">captain, you</span>
                </p>
              ) : (
                <>
                  <Field
                    label={`Player id, line ${index + 1}`}
                    hideLabel
                    required
                    className="-mt-1.5 max-sm:col-span-full"
                    error={errors.teamMembers?.[index]?.userId?.message}
                  >
                    <Input
                      {...register(`teamMembers.${index}.userId`)}
                      placeholder="usr_…"
                      autoComplete="off"
                      spellCheck={false}
                      className="font-mono"
                    />
                  </Field>
                  <Controller
                    control={control}
                    name={`teamMembers.${index}.role`}
                    render={({ field: role }) => (
                      <Select
                        aria-label={`Role, line ${index + 1}`}
                        value={role.value}
                        onValueChange={role.onChange}
                        options={roles}
                        className="w-full sm:w-32"
                      />
                    )}
                  />
                  <Button
                    variant="ghost"
                    size="icon"
                    aria-label={`Take line ${index + 1} away`}
                    disabled={fields.length <= rosterMin}
                    onClick={() => remove(index)}
                    icon={<Trash2 aria-hidden />}
                  />
                </>
              )}
            </li>
          ))}
        </ol>
        {whole ? (
          <p role="alert" className="text-danger">
            {whole}
          </p>
        ) : null}
        <Button
          className="justify-self-start"
          disabled={fields.length >= rosterMax}
          onClick={() => append({ userId: '', role: fields.length < tournament.teamSize ? 'player' : 'substitute' })}
          icon={<Plus aria-hidden />}
        >
          Add a player
        </Button>
      </fieldset>
    </>
  );
}
