import { CircleCheck, Radio } from 'lucide-react';
import { Badge } from '@/components/ui/data/badge';

/** Whether a session runs. */
export function SessionState({ endedAt }: { endedAt: string | null }) {
  return endedAt === null ? (
    <Badge tone="live" icon={Radio}>
      Running
    </Badge>
  ) : (
    <Badge icon={CircleCheck}>Ended</Badge>
  );
}
