import { CalendarPlus } from 'lucide-react';
import { buttonClass } from '@/components/ui/form/button';

/** Opens a tournament's calendar in the viewer's calendar program; with a participant only their matches. */
export function CalendarLink({ slug, participantId }: { slug: string; participantId?: string | null }) {
  const query = participantId ? `?participant=${participantId}` : '';
  return (
    <a
      href={`/tournaments/${slug}/calendar.ics${query}`}
      className={`${buttonClass({ variant: 'ghost' })} justify-self-start print:hidden`}
    >
      <CalendarPlus aria-hidden />
      Add to calendar
    </a>
  );
}
