'use client';

import { ChartColumn, Table2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from '@/components/ui/form/button';

export type DataColumn<Row> = { header: string; cell: (row: Row) => ReactNode };

/** A chart, and on request the same figures in a table. A screen reader is led to the table. */
export function ChartFigure<Row>({
  title,
  legend,
  rows,
  columns,
  rowKey,
  empty,
  children,
}: {
  title: string;
  legend?: ReactNode;
  rows: Row[];
  columns: DataColumn<Row>[];
  rowKey: (row: Row) => string;
  /** Shown in place of a chart of nothing. */
  empty?: string;
  children: ReactNode;
}) {
  const [asTable, setAsTable] = useState(false);
  return (
    <section className="min-w-0 rounded border bg-surface">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-1 px-5 pt-3">
        <h2 className="display text-lg">{title}</h2>
        {legend ? <div className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">{legend}</div> : null}
        <Button
          size="sm"
          variant="ghost"
          className="-mr-2 ml-auto"
          aria-pressed={asTable}
          aria-label={`${title} as a table`}
          icon={asTable ? <ChartColumn aria-hidden /> : <Table2 aria-hidden />}
          onClick={() => setAsTable(!asTable)}
        >
          {asTable ? 'Chart' : 'Table'}
        </Button>
      </header>
      {asTable ? (
        <div className="mt-2 overflow-x-auto border-t">
          <table className="numerals w-full text-sm">
            <caption className="sr-only">{title}</caption>
            <thead>
              <tr>
                {columns.map((column) => (
                  <th key={column.header} scope="col" className="label px-5 py-2 text-end text-muted first:text-start">
                    {column.header}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={rowKey(row)} className="border-t">
                  {columns.map((column) => (
                    <td key={column.header} className="px-5 py-1.5 text-end whitespace-nowrap first:text-start">
                      {column.cell(row)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        <div className="px-2 pt-3 pb-2">
          {empty ? <p className="grid h-48 place-items-center px-4 text-center text-muted">{empty}</p> : children}
        </div>
      )}
    </section>
  );
}

/** One colour of a chart and what it stands for; `shape` tells it apart without its colour. */
export function LegendItem({ className, shape, children }: { className: string; shape: string; children: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <svg aria-hidden viewBox="0 0 16 10" className={`h-2.5 w-4 ${className}`}>
        <path d={shape} stroke="currentColor" strokeWidth={2.5} fill="none" />
      </svg>
      {children}
    </span>
  );
}
