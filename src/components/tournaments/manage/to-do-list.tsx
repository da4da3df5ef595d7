import {
  CalendarX2,
  CircleCheck,
  Clock,
  Hourglass,
  type LucideIcon,
  PencilLine,
  UserX,
  WebhookOff,
} from 'lucide-react';
import Link from 'next/link';
import type { ToDo } from '@/components/tournaments/manage/to-dos';
import { cn } from '@/components/ui/cn';
import { buttonClass } from '@/components/ui/form/button';
import { Countdown } from '@/components/ui/text/countdown';

const looks: Record<ToDo['kind'], { icon: LucideIcon; tone: string }> = {
  'check-in': { icon: UserX, tone: 'text-live' },
  overdue: { icon: CalendarX2, tone: 'text-danger' },
  webhook: { icon: WebhookOff, tone: 'text-danger' },
  approval: { icon: Hourglass, tone: 'text-accent' },
  draft: { icon: PencilLine, tone: 'text-muted' },
  soon: { icon: Clock, tone: 'text-muted' },
};

/** The organizer's open tasks, each with a link to it. */
export function ToDoList({ toDos, note }: { toDos: ToDo[]; note: string }) {
  if (toDos.length === 0) {
    return (
      <p className="flex items-center gap-3 rounded border bg-surface px-5 py-4">
        <CircleCheck aria-hidden className="size-5 shrink-0 text-accent" />
        <span>
          <strong className="font-medium">Nothing needs your attention.</strong>{' '}
          <span className="text-muted">{note}</span>
        </span>
      </p>
    );
  }
  return (
    <ul className="divide-y rounded border bg-surface">
      {toDos.map(({ key, kind, title, about, until, href, action }) => {
        const { icon: Icon, tone } = looks[kind];
        return (
          <li key={key} className="flex items-center gap-4 px-4 py-3 sm:px-5">
            <Icon aria-hidden className={cn('size-5 shrink-0', tone)} />
            <div className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-4 gap-y-0.5">
              <p className="min-w-0 font-medium sm:flex-1">
                {title}
                <span className="block truncate font-normal text-muted" dir="auto">
                  {about}
                </span>
              </p>
              {until ? (
                <p className="flex items-baseline gap-2 whitespace-nowrap">
                  <span className="text-muted">{until.label}</span>
                  <Countdown to={until.at} label={`${about}: ${until.label}`} size="sm" />
                </p>
              ) : null}
            </div>
            <Link href={href} aria-label={`${action}: ${title}, ${about}`} className={buttonClass({ size: 'sm' })}>
              {action}
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
