import { clearedFilters, isFiltered } from '@/components/anticheat/queue/filter';
import { Button } from '@/components/ui/form/button';
import { EmptyState } from '@/components/ui/page/empty-state';

const whatComes =
  'What the rules find in a running session appears here, at most a minute or so later. Sessions are started by your game servers through the API, or on the page of a match.';

/** What the queue says when it has nothing to show. */
export function NothingFound({
  params,
  onChange,
}: {
  params: URLSearchParams;
  onChange: (changes: Record<string, string | null>) => void;
}) {
  if (isFiltered(params)) {
    return (
      <EmptyState
        title="No matching detections"
        action={<Button onClick={() => onChange(clearedFilters)}>Clear filters</Button>}
      />
    );
  }
  const status = params.get('status');
  if (status === 'all') {
    return <EmptyState title="No detections yet">{whatComes}</EmptyState>;
  }
  if (status && status !== 'unreviewed') {
    return (
      <EmptyState
        title="No detections here"
        action={<Button onClick={() => onChange({ status: null })}>Show unreviewed</Button>}
      >
        No detection has this verdict.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="Nothing to review"
      action={<Button onClick={() => onChange({ status: 'all' })}>Show all detections</Button>}
    >
      {whatComes}
    </EmptyState>
  );
}
