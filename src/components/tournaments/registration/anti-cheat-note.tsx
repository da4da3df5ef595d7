import { useQuery } from '@tanstack/react-query';
import { ShieldAlert, ShieldCheck } from 'lucide-react';
import Link from 'next/link';
import { ownClientsInput, ownClientsRefreshMs } from '@/components/settings/anti-cheat/own-clients';
import { cn } from '@/components/ui/cn';
import { RelativeTime } from '@/components/ui/text/date-time';
import { useTRPC } from '@/trpc/client';

/**
 * Whether the viewer's anti-cheat client in the project is running, and what to do until it is. `missing` once a check-in
 * failed without it.
 */
export function AntiCheatNote({ projectId, missing }: { projectId: string; missing: boolean }) {
  const trpc = useTRPC();
  const clients = useQuery(
    trpc.antiCheat.clients.list.queryOptions(ownClientsInput(projectId), { refetchInterval: ownClientsRefreshMs }),
  );
  const running = clients.data?.items.find((client) => client.running);
  const isEnrolled = clients.data === undefined || clients.data.total > 0;
  const isUrgent = missing && !running;
  const title = running
    ? 'Your anti-cheat client is running'
    : isEnrolled
      ? 'Your anti-cheat client is not running'
      : 'You need an anti-cheat client';
  return (
    <div
      role={isUrgent ? 'alert' : 'status'}
      className={cn('rounded border px-4 py-3', isUrgent ? 'border-danger bg-danger-soft' : 'bg-sunken')}
    >
      <p className="flex items-center gap-2 font-medium">
        {running ? (
          <ShieldCheck aria-hidden className="size-5 text-accent" />
        ) : (
          <ShieldAlert aria-hidden className={cn('size-5', isUrgent ? 'text-danger' : 'text-muted')} />
        )}
        {title}
      </p>
      <p className="mt-1.5 text-muted">
        {running?.lastHeartbeatAt ? (
          <>
            Last heard <RelativeTime value={running.lastHeartbeatAt} />. You can check in from any device.
          </>
        ) : isEnrolled ? (
          'Start it on the computer you play on, then check in from any device.'
        ) : (
          'Enroll one for this organizer, start it on the computer you play on, then check in from any device.'
        )}
      </p>
      <Link
        href={`/settings/anti-cheat?project=${projectId}`}
        className="mt-1.5 inline-block text-accent underline underline-offset-4"
      >
        {isEnrolled ? 'Your anti-cheat clients' : 'Enroll a client'}
      </Link>
    </div>
  );
}
