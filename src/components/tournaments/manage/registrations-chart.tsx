import { formatInstant } from '@/domain/time/zones';

type Day = { day: string; registrations: number };

/** Registrations per day as bars, with the same figures as a table. */
export function RegistrationsChart({ days }: { days: Day[] }) {
  const max = Math.max(1, ...days.map((day) => day.registrations));
  const total = days.reduce((sum, day) => sum + day.registrations, 0);
  const name = (day: string) => formatInstant(`${day}T00:00:00.000Z`, 'UTC', 'date').replace(/ \d{4}$/, '');
  const [first, last] = [days[0], days.at(-1)];
  return (
    <figure className="grid gap-3">
      <div aria-hidden className="flex h-28 items-end gap-1 border-b border-line-strong">
        {days.map(({ day, registrations }) => (
          <div key={day} title={`${name(day)}: ${registrations}`} className="flex h-full flex-1 flex-col justify-end">
            {registrations > 0 ? (
              <>
                <span className="figure text-center text-xs text-muted">{registrations}</span>
                <span className="rounded-t bg-accent" style={{ height: `${(registrations / max) * 75}%` }} />
              </>
            ) : null}
          </div>
        ))}
      </div>
      <figcaption className="flex justify-between gap-4 text-xs text-muted">
        <span>{first ? name(first.day) : ''}</span>
        <span>
          {total} in {days.length} days
        </span>
        <span>{last ? name(last.day) : ''}</span>
      </figcaption>
      <details className="text-muted">
        <summary className="w-fit cursor-pointer rounded text-xs hover:text-ink">Show as table</summary>
        <table className="mt-2 w-full text-sm">
          <caption className="sr-only">Registrations per day (UTC)</caption>
          <thead>
            <tr className="border-b">
              <th scope="col" className="py-1 text-start font-medium">
                Day
              </th>
              <th scope="col" className="py-1 text-end font-medium">
                Registrations
              </th>
            </tr>
          </thead>
          <tbody>
            {days.map(({ day, registrations }) => (
              <tr key={day}>
                <td className="py-0.5">{name(day)}</td>
                <td className="py-0.5 text-end text-ink">{registrations}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
