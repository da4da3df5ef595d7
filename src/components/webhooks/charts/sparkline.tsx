type Bucket = { at: string; delivered: number; failed: number };

const width = 96;
const height = 24;

/** What was delivered and what failed, hour by hour, in one line; the words say what the bars show. */
export function Sparkline({ buckets, label }: { buckets: Bucket[]; label: string }) {
  const most = Math.max(1, ...buckets.map(({ delivered, failed }) => delivered + failed));
  const step = width / Math.max(buckets.length, 1);
  const tall = (count: number) => (count === 0 ? 0 : Math.max(2, (count / most) * height));
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${width} ${height}`} className="h-6 w-24 shrink-0">
      <title>{label}</title>
      <path d={`M0 ${height - 0.5}H${width}`} className="stroke-line" />
      {buckets.map(({ at, delivered, failed }, index) => {
        const good = tall(delivered);
        const bad = tall(failed);
        const x = index * step;
        return (
          <g key={at}>
            <rect x={x} y={height - good} width={step - 1} height={good} className="fill-accent" />
            <rect x={x} y={Math.max(0, height - good - bad)} width={step - 1} height={bad} className="fill-danger" />
          </g>
        );
      })}
    </svg>
  );
}
