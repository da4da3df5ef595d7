import { cn } from '@/components/ui/cn';

function initials(name: string): string {
  const words = name.trim().split(/\s+/u);
  const first = [...(words[0] ?? '')][0] ?? '';
  const last = words.length > 1 ? ([...(words.at(-1) ?? '')][0] ?? '') : '';
  return (first + last).toUpperCase();
}

/** The initials of a person or team. Use it next to the name, never in place of it. */
export function Avatar({
  name,
  size = 'md',
  square = false,
}: {
  name: string;
  size?: 'sm' | 'md' | 'lg';
  square?: boolean;
}) {
  return (
    <span
      aria-hidden
      data-initials={initials(name)}
      className={cn(
        'figure inline-grid before:content-[attr(data-initials)] shrink-0 place-items-center border border-line-strong bg-hover text-muted',
        square ? 'rounded' : 'rounded-full',
        { sm: 'size-6 text-xs', md: 'size-8 text-sm', lg: 'size-12 text-lg' }[size],
      )}
    />
  );
}
