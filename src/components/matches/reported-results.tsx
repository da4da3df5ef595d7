import { describeReport, nameIn } from '@/components/matches/actions/match-names';
import type { Match } from '@/components/matches/types';
import { Countdown } from '@/components/ui/text/countdown';

/** What each side reported, and when silence confirms it. Renders nothing when nobody has. */
export function ReportedResults({ match }: { match: Match }) {
  const { report, counterReport, status } = match;
  if (!report) return null;
  return (
    <div className="grid grid-cols-1 gap-0.5 text-muted wrap-anywhere">
      {[report, counterReport].map((one) =>
        one ? (
          <p key={one.by}>
            <bdi className="text-ink">{nameIn(match, one.by)}</bdi> reported: {describeReport(match, one)}.
          </p>
        ) : null,
      )}
      {report.confirmBy && status !== 'disputed' ? (
        <p className="flex flex-wrap items-baseline gap-x-1.5">
          Without an answer it counts in{' '}
          <Countdown to={report.confirmBy} label="The reported result counts" size="sm" className="text-ink" />
        </p>
      ) : null}
    </div>
  );
}
