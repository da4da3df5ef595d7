type Bucket = { at: string; delivered: number; failed: number };

const width = 96;
const height = 24;

/** A small bar chart of delivered and failed events by hour. `label` describes it for screen readers. */
export function Sparkline({ buckets, label }: { buckets: Bucket[]; label: string }) {
  const max = Math.max(1, ...buckets.map(({ delivered, failed }) => delivered + failed));
  const step = width / Math.max(buckets.length, 1);
  const barHeight = (count: number) => (count === 0 ? 0 : Math.max(2, (count / max) * height));
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${width} ${height}`} className="h-6 w-24 shrink-0">
      <title>{label}</title>
      <path d={`M0 ${height - 0.5}H${width}`} className="stroke-line" />
      {buckets.map(({ at, delivered, failed }, index) => {
        const deliveredHeight = barHeight(delivered);
        const failedHeight = barHeight(failed);
        const x = index * step;
        return (
          <g key={at}>
            <rect
              x={x}
              y={height - deliveredHeight}
              width={step - 1}
              height={deliveredHeight}
              className="fill-accent"
            />
            <rect
              x={x}
              y={Math.max(0, height - deliveredHeight - failedHeight)}
              width={step - 1}
              height={failedHeight}
              className="fill-danger"
            />
          </g>
        );
      })}
    </svg>
  );
}
