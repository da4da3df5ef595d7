import { cn } from '@/components/ui/cn';

const tones: Record<string, string> = {
  GET: 'text-live',
  DELETE: 'text-danger',
};

/** An HTTP method, in a column of fixed width. */
export function Method({ method, className }: { method: string; className?: string }) {
  return (
    <span className={cn('label inline-block w-14 shrink-0', tones[method] ?? 'text-accent', className)}>{method}</span>
  );
}
