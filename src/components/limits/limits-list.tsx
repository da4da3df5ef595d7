import Link from 'next/link';
import { Progress } from '@/components/ui/data/progress';
import { durationInWords, second } from '@/domain/time/durations';
import type { Outputs } from '@/trpc/outputs';

/** Why there are limits. @param whom such as `projects` */
export function LimitsNote({ whom }: { whom: string }) {
  return (
    <>
      They keep {whom} from slowing each other down. The{' '}
      <Link href="/docs/api" className="underline">
        API reference
      </Link>{' '}
      lists all of them.
    </>
  );
}

/** What is limited for a project or an account, and how much of it is used. */
export function LimitsList({ items }: { items: Outputs['projects']['limits']['items'] }) {
  return (
    <ul className="grid gap-5 rounded border bg-surface p-5">
      {items.map(({ quota, counts, used, limit, windowSeconds }) => (
        <li key={quota}>
          <Progress
            value={used}
            max={limit}
            label={counts}
            unit={windowSeconds ? `per ${durationInWords(windowSeconds * second).replace(/^1 /, '')}` : undefined}
            tone={used >= limit ? 'live' : 'accent'}
          />
        </li>
      ))}
    </ul>
  );
}
