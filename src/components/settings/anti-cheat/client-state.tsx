import { CircleMinus, Hourglass, Radio } from 'lucide-react';
import { Badge } from '@/components/ui/data/badge';

/** Whether a client runs now, as its last heartbeat says. */
export function ClientState({
  running,
  lastHeartbeatAt,
  lastReportAt,
}: {
  running: boolean;
  lastHeartbeatAt: string | null;
  lastReportAt: string | null;
}) {
  const hasRun = lastHeartbeatAt !== null || lastReportAt !== null;
  if (running) {
    return (
      <Badge tone="live" icon={Radio}>
        Running
      </Badge>
    );
  }
  return <Badge icon={hasRun ? CircleMinus : Hourglass}>{hasRun ? 'Not running' : 'Never run'}</Badge>;
}
