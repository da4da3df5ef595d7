'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { Checkbox } from '@/components/ui/form/choices';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonText } from '@/components/ui/page/skeleton';
import { useTRPC } from '@/trpc/client';

const list = new Intl.ListFormat('en');
const namesShown = 5;

/** The first names as a list, and how many more there are. */
function listNames(names: string[]): string {
  const more = names.length - namesShown;
  return list.format(more > 0 ? [...names.slice(0, namesShown), `${more} more`] : names);
}

/** What somebody who is about to lose access made: API keys that can stop with it, and webhooks that go on. */
export function MadeByMember({
  project,
  userId,
  self,
  revokeKeys,
  onRevokeKeys,
}: {
  project: { id: string; slug: string };
  userId: string;
  self: boolean;
  revokeKeys: boolean;
  onRevokeKeys: (revoke: boolean) => void;
}) {
  const trpc = useTRPC();
  const made = useQuery(trpc.projects.members.made.queryOptions({ projectId: project.id, userId }));
  if (made.isPending) return <SkeletonText lines={2} />;
  if (made.isError) {
    return <QueryError title={`${self ? 'Your' : 'Their'} API keys and webhooks could not be loaded`} query={made} />;
  }
  const { apiKeys, webhooks } = made.data;
  const who = self ? 'you' : 'they';
  return (
    <>
      {apiKeys.length > 0 && self ? (
        <p>
          {apiKeys.length === 1 ? 'The API key you created stops' : `The ${apiKeys.length} API keys you created stop`}{' '}
          working: <bdi>{listNames(apiKeys.map(({ name }) => name))}</bdi>. To keep{' '}
          {apiKeys.length === 1 ? 'it' : 'them'}, ask another owner or admin to make this change.
        </p>
      ) : null}
      {apiKeys.length > 0 && !self ? (
        <Checkbox
          checked={revokeKeys}
          onCheckedChange={onRevokeKeys}
          label={
            apiKeys.length === 1
              ? 'Revoke the API key they created'
              : `Revoke the ${apiKeys.length} API keys they created`
          }
          hint={
            <>
              <bdi>{listNames(apiKeys.map(({ name }) => name))}</bdi>. They may still have{' '}
              {apiKeys.length === 1 ? 'it' : 'them'}; what uses {apiKeys.length === 1 ? 'it' : 'them'} needs a new key.
            </>
          }
        />
      ) : null}
      {webhooks.length > 0 ? (
        <div className="grid gap-1">
          <p>
            {webhooks.length === 1 ? 'A webhook' : `${webhooks.length} webhooks`} that {who} created{' '}
            {webhooks.length === 1 ? 'goes' : 'go'} on sending:
          </p>
          <ul className="grid max-h-32 gap-1 overflow-y-auto">
            {webhooks.map(({ id, url }) => (
              <li key={id} className="min-w-0">
                <Link
                  href={`/dashboard/${project.slug}/webhooks/${id}`}
                  title={url}
                  className="block truncate text-sm text-ink underline underline-offset-4"
                >
                  {url.replace(/^https?:\/\//, '')}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ) : null}
    </>
  );
}
