'use client';

import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import { MatchLengthOverrides } from '@/components/tournaments/form/format/match-length-overrides';
import { lengths } from '@/components/tournaments/form/format/match-lengths';
import { ChoiceField, NumberField, SwitchField } from '@/components/tournaments/form/format/option-fields';
import { TiebreakerOrder } from '@/components/tournaments/form/format/tiebreaker-order';
import { LockNote, useLockReason } from '@/components/tournaments/form/setting-field';
import type { FormValues } from '@/components/tournaments/form/values';
import { FieldRow } from '@/components/ui/form/form-section';
import { completeOptions, OPTIONS_OF_FORMAT } from '@/domain/brackets/options';

const playoffs = [0, 2, 4, 8, 16, 32, 64].map((value) => ({
  value,
  label: value === 0 ? 'Nobody: the table decides' : `The best ${value}`,
}));

/** Every option of the chosen format, folded away until somebody wants another default. */
export function FormatOptionsFields() {
  const { control, formState } = useFormContext<FormValues>();
  const [format, options, participants] = useWatch({
    control,
    name: ['format', 'formatOptions', 'maxParticipants'],
  });
  const [isOpen, setOpen] = useState(false);
  const reason = useLockReason('formatOptions');
  const known: readonly string[] = OPTIONS_OF_FORMAT[format];
  const has = (option: string) => known.includes(option);
  const size = Number.isInteger(participants) ? Math.min(Math.max(participants, 2), 1_024) : 16;
  const standard = completeOptions(format, { ...options, groups: undefined, rounds: undefined }, size);
  const isSwiss = format === 'swiss';
  const hasKnockout = isSwiss ? (options.playoffs ?? 0) > 0 : has('knockoutFormat');
  const isDouble = format === 'double_elimination' || (hasKnockout && options.knockoutFormat === 'double_elimination');
  const isSingle = format === 'single_elimination' || (hasKnockout && !isDouble);
  const isMajor = options.winsToAdvance !== undefined || options.lossesToEliminate !== undefined;
  return (
    <details
      open={isOpen || formState.errors.formatOptions !== undefined}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="group rounded border"
    >
      <summary className="flex cursor-pointer list-none items-center gap-2 px-4 py-3 font-medium select-none hover:bg-hover [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-4 shrink-0 transition-transform group-open:rotate-90" />
        Format options
        {reason ? (
          <span className="ml-auto text-xs font-normal">
            <LockNote reason={reason} />
          </span>
        ) : null}
      </summary>
      <div className="grid grid-cols-1 gap-6 border-t p-4">
        <FieldRow>
          <ChoiceField
            key={format}
            name="bestOf"
            label="Match length"
            standard={1}
            choices={lengths(format === 'round_robin' || (isSwiss && !isMajor && !hasKnockout))}
          />
          {has('legs') ? (
            <ChoiceField
              name="legs"
              label="Each pair plays"
              standard={1}
              choices={[
                { value: 1, label: 'Once' },
                { value: 2, label: 'Twice' },
              ]}
            />
          ) : null}
          {has('groups') ? (
            <>
              <ChoiceField
                name="groupFormat"
                label="Within a group"
                standard="round_robin"
                choices={[
                  { value: 'round_robin', label: 'Everyone plays everyone' },
                  { value: 'gsl', label: 'GSL: out after two losses' },
                ]}
                hint={options.groupFormat === 'gsl' ? 'Groups of exactly four; two advance.' : undefined}
              />
              <NumberField
                name="groups"
                label="Groups"
                standard={standard.groups}
                max={256}
                hint="Filled by seed, in snake order."
              />
              <NumberField name="advancePerGroup" label="Advance from each group" standard={2} max={256} />
            </>
          ) : null}
          {isSwiss ? (
            <>
              {isMajor ? null : <NumberField name="rounds" label="Rounds" standard={standard.rounds} max={100} />}
              <NumberField
                name="winsToAdvance"
                label="Wins to advance"
                standard="None: everyone plays every round"
                max={20}
                hint="As in Counter-Strike majors. Set both or neither."
              />
              <NumberField name="lossesToEliminate" label="Losses to elimination" standard="None" max={20} />
              <ChoiceField name="playoffs" label="Advance to a knockout" standard={0} choices={playoffs} />
            </>
          ) : null}
          {hasKnockout ? (
            <ChoiceField
              name="knockoutFormat"
              label="Knockout"
              standard="single_elimination"
              choices={[
                { value: 'single_elimination', label: 'Single elimination' },
                { value: 'double_elimination', label: 'Double elimination' },
              ]}
            />
          ) : null}
        </FieldRow>
        {isSingle && has('thirdPlace') ? (
          <SwitchField
            name="thirdPlace"
            standard={false}
            label="Third-place match"
            hint="The losers of the semifinals play for third place."
          />
        ) : null}
        {isDouble && has('grandFinalReset') ? (
          <SwitchField
            name="grandFinalReset"
            standard={true}
            label="Grand final reset"
            hint="If the lower bracket winner wins the grand final, a second one decides."
          />
        ) : null}
        <MatchLengthOverrides />
        {has('tiebreakers') ? (
          <>
            <div className="grid gap-5 sm:grid-cols-3">
              <NumberField name="pointsForWin" label="Points for a win" standard={3} max={1_000} />
              <NumberField name="pointsForDraw" label="Points for a draw" standard={1} max={1_000} />
              <NumberField name="pointsForLoss" label="Points for a loss" standard={0} max={1_000} />
            </div>
            <TiebreakerOrder />
          </>
        ) : null}
      </div>
    </details>
  );
}
