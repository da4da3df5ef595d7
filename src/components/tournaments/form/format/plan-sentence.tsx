'use client';

import { CircleAlert, Workflow } from 'lucide-react';
import { useFormContext, useWatch } from 'react-hook-form';
import { describeLengths } from '@/components/tournaments/form/format/match-lengths';
import { type FormValues, supportedOptions } from '@/components/tournaments/form/values';
import { describePlan } from '@/domain/brackets/plan-words';

/** What the tournament comes to when it fills up, as the settings stand. */
export function PlanSentence() {
  const { control } = useFormContext<FormValues>();
  const [format, formatOptions, participants] = useWatch({
    control,
    name: ['format', 'formatOptions', 'maxParticipants'],
  });
  if (!Number.isInteger(participants) || participants < 2) return null;
  const plan =
    participants > 1_024
      ? { sentence: null, problem: 'A bracket has at most 1,024 participants. More can register than can play.' }
      : describePlan(format, supportedOptions(format, formatOptions), participants);
  return (
    <p role="status" className="flex items-start gap-2 rounded border bg-sunken px-4 py-3">
      {plan.problem === null ? (
        <Workflow aria-hidden className="mt-px size-4 shrink-0 text-accent" />
      ) : (
        <CircleAlert aria-hidden className="mt-px size-4 shrink-0 text-danger" />
      )}
      <span className="min-w-0">{plan.problem ?? `${plan.sentence} ${describeLengths(format, formatOptions)}`}</span>
    </p>
  );
}
