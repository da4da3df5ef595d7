import type { Seen } from '@/components/matches/actions/decide-as-seen';
import { describeReport, nameIn } from '@/components/matches/actions/match-names';
import type { Match } from '@/components/matches/types';
import { Countdown } from '@/components/ui/text/countdown';

function Reports({ match }: { match: Seen }) {
  return [match.report, match.counterReport].map((one) =>
    one ? (
      <p key={one.by}>
        <bdi className="text-ink">{nameIn(match, one.by)}</bdi> reported: {describeReport(match, one)}.
      </p>
    ) : null,
  );
}

/** What each side reported, and when silence confirms it. Renders nothing when nobody has. */
export function ReportedResults({ match }: { match: Match }) {
  const { report, status } = match;
  if (!report) return null;
  return (
    <div className="grid grid-cols-1 gap-0.5 text-muted wrap-anywhere">
      <Reports match={match} />
      {report.confirmBy && status !== 'disputed' ? (
        <p className="flex flex-wrap items-baseline gap-x-1.5">
          Without an answer it counts in{' '}
          <Countdown to={report.confirmBy} label="The reported result counts" size="sm" className="text-ink" />
        </p>
      ) : null}
    </div>
  );
}

/** What was reported when staff looked, and what is reported now. */
export function ChangedReports({ before, now }: { before: Seen; now: Seen }) {
  const times = [
    ['Before', before],
    ['Now', now],
  ] as const;
  return (
    <dl className="grid grid-cols-1 gap-3 rounded border border-line-strong bg-surface p-3 wrap-anywhere">
      {times.map(([label, match]) => (
        <div key={label}>
          <dt className="label text-muted">{label}</dt>
          <dd className="grid grid-cols-1 gap-0.5 text-muted">
            {match.report ? <Reports match={match} /> : <p>Nothing is reported.</p>}
            {match.status === 'disputed' ? <p>The result is disputed.</p> : null}
          </dd>
        </div>
      ))}
    </dl>
  );
}
