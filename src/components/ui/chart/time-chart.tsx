'use client';

import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import { ChartFigure, LegendItem } from '@/components/ui/chart/figure';
import { labelInterval, valueTicks } from '@/components/ui/chart/scale';
import { cn } from '@/components/ui/cn';

type Kind = 'bars' | 'lines' | 'dots';

/** `id` tells points of the same time apart. */
type TimePoint = { at: string; id?: string };

const keyOf = ({ id, at }: TimePoint) => id ?? at;

export interface Series<Point> {
  label: string;
  /** Its color, as a text color. */
  className: string;
  /** Tells it apart without its color: a line is dashed, a bar has a double stroke in the legend. */
  marked?: boolean;
  /** Null when there is no value: a line connects to the next one. */
  value: (point: Point) => number | null;
}

interface TimeChartProps<Point> {
  title: string;
  /** Bars are stacked in the order of the series. */
  kind: Kind;
  points: Point[];
  series: Series<Point>[];
  /** Limits that are drawn across the chart and named in the legend. */
  thresholds?: { label: string; value: number }[];
  formatValue: (value: number | null) => string;
  /** A point of time on the axis. */
  formatTick: (at: string) => string;
  /** A point of time in full. */
  formatTime: (at: string) => string;
  /** Shown in place of a chart without values. */
  empty: string;
}

const shapes: Record<Kind, { plain: string; marked: string }> = {
  bars: { plain: 'M0 5H16', marked: 'M0 2H16M0 8H16' },
  lines: { plain: 'M0 5H16', marked: 'M0 5H4M7 5H11M14 5H16' },
  dots: { plain: 'M4 5H12', marked: 'M7 5H9' },
};

const thresholdClass = 'text-danger';

/**
 * A chart of values over time, with a legend and the same figures as a table. The plot is sized in percent and its labels
 * are text, so that it needs no measuring and does not change after the first paint.
 */
export function TimeChart<Point extends TimePoint>(props: TimeChartProps<Point>) {
  const { title, kind, points, series, thresholds = [], formatValue, formatTime, empty } = props;
  const rows = points.filter((point) =>
    series.some(({ value }) => (kind === 'bars' ? Boolean(value(point)) : value(point) !== null)),
  );
  return (
    <ChartFigure
      title={title}
      legend={[
        ...series.map(({ label, className, marked }) => (
          <LegendItem key={label} className={className} shape={shapes[kind][marked ? 'marked' : 'plain']}>
            {label}
          </LegendItem>
        )),
        ...thresholds.map(({ label, value }) => (
          <LegendItem key={label} className={thresholdClass} shape="M0 5H3M6 5H9M12 5H15">
            {label} {formatValue(value)}
          </LegendItem>
        )),
      ]}
      rows={rows}
      rowKey={keyOf}
      columns={[
        { header: 'From', cell: (point) => formatTime(point.at) },
        ...series.map(({ label, value }) => ({ header: label, cell: (point: Point) => formatValue(value(point)) })),
      ]}
      empty={rows.length === 0 ? empty : undefined}
    >
      <Plot {...props} />
    </ChartFigure>
  );
}

function Plot<Point extends TimePoint>(props: TimeChartProps<Point>) {
  const { title, kind, points, series, thresholds = [], formatValue, formatTick, formatTime } = props;
  const [selected, setSelected] = useState<number | null>(null);
  const last = points.length - 1;
  const index = selected === null ? null : Math.min(selected, last);
  const point = index === null ? undefined : points[index];

  const values = (item: Point) => series.map(({ value }) => value(item) ?? 0);
  const tops = points.map((item) =>
    kind === 'bars' ? values(item).reduce((sum, value) => sum + value, 0) : Math.max(...values(item)),
  );
  const ticks = valueTicks(Math.max(...tops, ...thresholds.map(({ value }) => value)));
  const top = ticks.at(-1) ?? 1;
  const every = labelInterval(points.length, 6);

  function follow({ clientX, currentTarget }: PointerEvent<HTMLElement>) {
    const { left, width } = currentTarget.getBoundingClientRect();
    setSelected(Math.min(last, Math.max(0, Math.floor(((clientX - left) / width) * points.length))));
  }

  /** On touch screens, the tooltip stays until the next touch. */
  function leave({ pointerType }: PointerEvent) {
    if (pointerType !== 'touch') setSelected(null);
  }

  function move(event: KeyboardEvent) {
    const current = index ?? last;
    const next: Record<string, number | null> = {
      ArrowLeft: Math.max(0, current - 1),
      ArrowRight: Math.min(last, current + 1),
      Home: 0,
      End: last,
      Escape: null,
    };
    const target = next[event.key];
    if (target === undefined) return;
    event.preventDefault();
    setSelected(target);
  }

  const describe = (item: Point) => series.map(({ label, value }) => `${label} ${formatValue(value(item))}`);
  const current = point ?? points[last];
  return (
    <div className="grid h-48 grid-cols-[auto_1fr] grid-rows-[1fr_auto] gap-x-2 pt-2 pr-6 pl-3 text-xs text-muted">
      <div aria-hidden className="numerals flex flex-col-reverse justify-between text-end">
        {ticks.map((tick) => (
          <span key={tick} className="h-0 leading-0">
            {formatValue(tick)}
          </span>
        ))}
      </div>
      <div
        role="slider"
        tabIndex={0}
        aria-label={title}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={index ?? last}
        aria-valuetext={current ? `${formatTime(current.at)}: ${describe(current).join(', ')}` : undefined}
        onKeyDown={move}
        onFocus={() => setSelected((was) => was ?? last)}
        onBlur={() => setSelected(null)}
        onPointerDown={follow}
        onPointerMove={follow}
        onPointerLeave={leave}
        className="relative touch-pan-y"
      >
        <svg
          aria-hidden
          viewBox={`0 0 ${points.length} ${top}`}
          preserveAspectRatio="none"
          className="absolute inset-0 size-full overflow-visible *:[vector-effect:non-scaling-stroke]"
        >
          {ticks.map((tick) => (
            <path key={tick} d={`M0 ${top - tick}H${points.length}`} className="stroke-line" />
          ))}
          {index === null ? null : kind === 'bars' ? (
            <rect x={index} width={1} height={top} className="fill-hover" />
          ) : (
            <path d={`M${index + 0.5} 0V${top}`} className="stroke-line-strong" />
          )}
          {kind === 'bars' ? (
            <Bars points={points} series={series} top={top} />
          ) : (
            <Lines points={points} series={series} top={top} connected={kind === 'lines'} />
          )}
          {thresholds.map(({ label, value }) => (
            <path
              key={label}
              d={`M0 ${top - value}H${points.length}`}
              className={cn('fill-none stroke-current', thresholdClass)}
              strokeWidth={1.5}
              strokeDasharray="4 4"
            />
          ))}
        </svg>
        {point && index !== null ? (
          <div
            aria-hidden
            className={cn(
              'pointer-events-none absolute top-0 z-10 rounded border bg-raised px-3 py-2 whitespace-nowrap text-ink shadow',
              index > last / 2 ? '-translate-x-[calc(100%+0.75rem)]' : 'translate-x-3',
            )}
            style={{ left: `${((index + 0.5) / points.length) * 100}%` }}
          >
            <p className="text-muted">{formatTime(point.at)}</p>
            {describe(point).map((line) => (
              <p key={line} className="numerals mt-0.5 font-medium">
                {line}
              </p>
            ))}
          </div>
        ) : null}
      </div>
      <div aria-hidden className="numerals @container relative col-start-2 h-6">
        {points.map((item, position) =>
          position % every === 0 ? (
            <span
              key={keyOf(item)}
              className={cn(
                'absolute top-2 -translate-x-1/2 whitespace-nowrap',
                (position / every) % 2 === 1 && '@max-sm:hidden',
              )}
              style={{ left: `${((position + 0.5) / points.length) * 100}%` }}
            >
              {formatTick(item.at)}
            </span>
          ) : null,
        )}
      </div>
    </div>
  );
}

type MarksProps<Point> = { points: Point[]; series: Series<Point>[]; top: number };

function Bars<Point extends TimePoint>({ points, series, top }: MarksProps<Point>) {
  return points.map((point, index) => {
    let below = 0;
    return series.map(({ label, className, value }) => {
      const height = value(point) ?? 0;
      below += height;
      return height === 0 ? null : (
        <rect
          key={`${keyOf(point)} ${label}`}
          x={index + 0.06}
          y={top - below}
          width={0.88}
          height={height}
          className={cn('fill-current', className)}
        />
      );
    });
  });
}

function Lines<Point>({ points, series, top, connected }: MarksProps<Point> & { connected: boolean }) {
  return series.map(({ label, className, marked, value }) => {
    const coordinates = points.flatMap((point, index) => {
      const height = value(point);
      return height === null ? [] : [`${index + 0.5} ${top - height}`];
    });
    const stroke = cn('fill-none stroke-current', className);
    return [
      connected ? (
        <path
          key={label}
          d={`M${coordinates.join('L')}`}
          className={stroke}
          strokeWidth={2}
          strokeDasharray={marked ? '5 3' : undefined}
        />
      ) : null,
      // A line of zero length with round caps is a dot that stays round when the drawing is stretched.
      <path
        key={`${label} dots`}
        d={coordinates.map((coordinate) => `M${coordinate}h0`).join('')}
        className={stroke}
        strokeWidth={marked && !connected ? 3 : 5}
        strokeLinecap={marked && !connected ? 'square' : 'round'}
      />,
    ];
  });
}
