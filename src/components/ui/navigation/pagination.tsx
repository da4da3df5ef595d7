import { ChevronLeft, ChevronRight } from 'lucide-react';
import { Button, ButtonLink } from '@/components/ui/form/button';

type Move = { label: string; to: number; enabled: boolean };

/** The position in a list, with buttons for the previous and next page. Pass `href` for pages with URLs, else `onPage`. */
export function Pagination({
  page,
  limit,
  total,
  href,
  onPage,
  noun = 'items',
}: {
  page: number;
  limit: number;
  total: number;
  href?: (page: number) => string;
  onPage?: (page: number) => void;
  noun?: string;
}) {
  const pages = Math.max(1, Math.ceil(total / limit));
  if (pages === 1) return null;
  const first = (page - 1) * limit + 1;
  const moves: Move[] = [
    { label: 'Previous page', to: page - 1, enabled: page > 1 },
    { label: 'Next page', to: page + 1, enabled: page < pages },
  ];
  return (
    <nav aria-label={`Pages of ${noun}`} className="flex items-center justify-between gap-4 pt-3">
      <p className="numerals text-muted">
        {first} to {Math.min(first + limit - 1, total)} of {total} {noun}
      </p>
      <div className="flex gap-2">
        {moves.map(({ label, to, enabled }, index) => {
          const icon = index === 0 ? <ChevronLeft aria-hidden /> : <ChevronRight aria-hidden />;
          if (href && enabled) {
            return (
              <ButtonLink key={label} href={href(to)} size="icon" aria-label={label} icon={icon}>
                {null}
              </ButtonLink>
            );
          }
          return (
            <Button
              key={label}
              size="icon"
              aria-label={label}
              icon={icon}
              disabled={!enabled}
              onClick={onPage ? () => onPage(to) : undefined}
            />
          );
        })}
      </div>
    </nav>
  );
}
