'use client';

import { useQuery } from '@tanstack/react-query';
import type { ParticipantDetail, Tournament } from '@/components/tournaments/desk/queries';
import { Facts } from '@/components/ui/data/card';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonText } from '@/components/ui/page/skeleton';
import { webAddress } from '@/domain/text/web-address';
import { useTRPC } from '@/trpc/client';

function Answer({ value }: { value: string | number | boolean | null | undefined }) {
  if (value === undefined || value === null || value === '') return <span className="text-muted">Not answered</span>;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  const address = typeof value === 'string' ? webAddress(value) : null;
  if (address) {
    return (
      <a
        href={address}
        dir="ltr"
        target="_blank"
        rel="noreferrer noopener nofollow"
        className="wrap-anywhere text-accent underline underline-offset-4"
      >
        {address}
      </a>
    );
  }
  return (
    <span dir="auto" className="wrap-anywhere">
      {String(value)}
    </span>
  );
}

/** A participant's answers, under the version of the questions they answered. */
export function Answers({ participant, tournament }: { participant: ParticipantDetail; tournament: Tournament }) {
  const trpc = useTRPC();
  const version = participant.customFieldsVersion;
  const form = useQuery(trpc.participants.form.queryOptions({ tournamentId: tournament.id, version }));
  if (form.isPending) return <SkeletonText lines={4} />;
  if (form.isError) return <QueryError title="The questions could not be loaded" query={form} />;
  const { fields, currentCustomFieldsVersion: current } = form.data;
  const known = new Set(fields.map(({ key }) => key));
  const others = Object.keys(participant.customFields).filter((key) => !known.has(key));
  if (fields.length === 0 && others.length === 0) {
    return <p className="text-muted">This tournament has no questions.</p>;
  }
  return (
    <div className="grid grid-cols-1 gap-4">
      {version < current ? (
        <p className="rounded bg-hover px-3 py-2 text-muted">
          These are answers to version {version} of the questions. The current version is {current}.
        </p>
      ) : null}
      <Facts
        items={[
          ...fields.map(({ key, label }) => ({ label, value: <Answer value={participant.customFields[key]} /> })),
          ...others.map((key) => ({ label: key, value: <Answer value={participant.customFields[key]} /> })),
        ]}
      />
    </div>
  );
}
