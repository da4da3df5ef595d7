import { CircleMinus, Hourglass, Radio } from 'lucide-react';
import { Badge } from '@/components/ui/data/badge';

/** Whether a client runs now, as its last heartbeat says. */
export function ClientState({ running, lastHeartbeatAt }: { running: boolean; lastHeartbeatAt: string | null }) {
  if (running) {
    return (
      <Badge tone="live" icon={Radio}>
        Running
      </Badge>
    );
  }
  return (
    <Badge icon={lastHeartbeatAt ? CircleMinus : Hourglass}>{lastHeartbeatAt ? 'Not running' : 'Never run'}</Badge>
  );
}
