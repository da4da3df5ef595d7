import Link from 'next/link';
import { Progress } from '@/components/ui/data/progress';
import { FormSection } from '@/components/ui/form/form-section';
import { durationInWords, second } from '@/domain/time/durations';
import type { Outputs } from '@/trpc/outputs';

/** What is limited for a project or an account, and how much of it is used. */
export function LimitsSection({
  description,
  items,
}: {
  description: string;
  items: Outputs['projects']['limits']['items'];
}) {
  return (
    <FormSection
      title="Limits"
      description={
        <>
          {description} The{' '}
          <Link href="/docs/api" className="underline">
            API reference
          </Link>{' '}
          lists all of them.
        </>
      }
    >
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
    </FormSection>
  );
}
