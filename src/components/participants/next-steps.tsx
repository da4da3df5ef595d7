'use client';

import { ArrowRight } from 'lucide-react';
import Link from 'next/link';
import { RegistrationRow } from '@/components/participants/registration-row';
import { useLiveRegistrations } from '@/components/participants/use-live-registrations';
import { type MyRegistrationsInput, useMyRegistrations } from '@/components/participants/use-my-registrations';

const shown = 3;

/** The most pressing of what a player has entered; nothing where there is nothing. */
export function NextSteps({ input }: { input: MyRegistrationsInput }) {
  const { entries, data } = useMyRegistrations(input);
  useLiveRegistrations();
  if (!data || entries.length === 0) return null;
  return (
    <section aria-labelledby="next-steps" className="grid grid-cols-1 gap-3">
      <div className="flex items-baseline justify-between gap-4">
        <h2 id="next-steps" className="display text-xl">
          Next for you
        </h2>
        <Link
          href="/me"
          className="inline-flex items-center gap-1.5 py-1 font-medium text-accent underline-offset-4 hover:underline"
        >
          All of yours
          <ArrowRight aria-hidden className="size-4" />
        </Link>
      </div>
      <ul aria-label="Next for you" className="overflow-hidden rounded border border-line-strong bg-surface">
        {entries.slice(0, shown).map((entry) => (
          <RegistrationRow key={entry.registration.id} entry={entry} input={input} />
        ))}
      </ul>
    </section>
  );
}
