'use client';

import { ArrowRight } from 'lucide-react';
import Link from 'next/link';
import { RegistrationRow } from '@/components/participants/registration-row';
import { useLiveRegistrations } from '@/components/participants/use-live-registrations';
import { type MyRegistrationsInput, useMyRegistrations } from '@/components/participants/use-my-registrations';

const maxShown = 3;

/** The viewer's most urgent registrations; renders nothing without any. */
export function NextSteps({ input }: { input: MyRegistrationsInput }) {
  const { registrations, data } = useMyRegistrations(input);
  useLiveRegistrations();
  if (!data || registrations.length === 0) return null;
  return (
    <section aria-labelledby="next-steps" className="grid grid-cols-1 gap-3">
      <div className="flex items-baseline justify-between gap-4">
        <h2 id="next-steps" className="display text-xl">
          Up next
        </h2>
        <Link
          href="/me"
          className="inline-flex items-center gap-1.5 py-1 font-medium text-accent underline-offset-4 hover:underline"
        >
          My tournaments
          <ArrowRight aria-hidden className="size-4" />
        </Link>
      </div>
      <ul aria-label="Up next" className="overflow-hidden rounded border border-line-strong bg-surface">
        {registrations.slice(0, maxShown).map((item) => (
          <RegistrationRow key={item.registration.id} item={item} input={input} />
        ))}
      </ul>
    </section>
  );
}
