import type { ReactNode } from 'react';
import { cn } from '@/components/ui/cn';
import { TableKeyboardNavigation } from '@/components/ui/data/table-keyboard-navigation';
import { Checkbox } from '@/components/ui/form/choices';

/** Where a cell goes in the list that a table becomes on phones. */
type PhonePosition = 'title' | 'end' | 'line' | 'meta' | 'hide';

export type Column<Row> = {
  key: string;
  header: ReactNode;
  cell: (row: Row) => ReactNode;
  align?: 'start' | 'end';
  /** `meta` by default: on the second line, after `phoneLabel` if there is one. */
  phone?: PhonePosition;
  phoneLabel?: string;
  className?: string;
};

/** Row selection with checkboxes. Only for tables in client components. */
export type Selection = { selected: ReadonlySet<string>; onChange: (selected: Set<string>) => void };

/**
 * A table with rows of 36 px that becomes a list on phones. Enter opens the first link of the focused row. `caption` names
 * the table for screen readers; `empty` replaces a table without rows.
 */
export function Table<Row>({
  rows,
  columns,
  rowKey,
  rowLabel,
  caption,
  empty,
  selection,
  className,
}: {
  rows: Row[];
  columns: Column<Row>[];
  rowKey: (row: Row) => string;
  /** Names the row for its checkbox. */
  rowLabel?: (row: Row) => string;
  caption: string;
  empty?: ReactNode;
  selection?: Selection;
  className?: string;
}) {
  if (rows.length === 0 && empty) return empty;
  const keys = rows.map(rowKey);
  const selectedCount = selection ? keys.filter((key) => selection.selected.has(key)).length : 0;

  function select(target: string[], on: boolean) {
    if (!selection) return;
    const next = new Set(selection.selected);
    for (const key of target) {
      if (on) next.add(key);
      else next.delete(key);
    }
    selection.onChange(next);
  }

  return (
    <TableKeyboardNavigation className={cn('overflow-x-auto rounded border bg-surface', className)}>
      <table className="table-list w-full text-sm">
        <caption className="sr-only">{caption}</caption>
        <thead className="border-b">
          <tr>
            {selection ? (
              <th scope="col" className="w-10 pl-3">
                <Checkbox
                  aria-label="Select all rows"
                  checked={selectedCount === 0 ? false : selectedCount === rows.length ? true : 'indeterminate'}
                  onCheckedChange={(on) => select(keys, on)}
                />
              </th>
            ) : null}
            {columns.map((column) => (
              <th
                key={column.key}
                scope="col"
                className={cn(
                  'label h-9 px-3 text-start whitespace-nowrap text-muted first:pl-4 last:pr-4',
                  column.align === 'end' && 'text-end',
                  column.className,
                )}
              >
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => {
            const key = rowKey(row);
            const selected = selection?.selected.has(key) ?? false;
            return (
              <tr
                key={key}
                data-row=""
                data-selected={selected || undefined}
                tabIndex={index === 0 ? 0 : -1}
                className="border-b border-line last:border-b-0 hover:bg-hover focus-visible:-outline-offset-2 data-selected:bg-accent-soft"
              >
                {selection ? (
                  <td className="w-10 pl-3">
                    <Checkbox
                      aria-label={`Select ${rowLabel?.(row) ?? 'this row'}`}
                      checked={selected}
                      onCheckedChange={(on) => select([key], on)}
                    />
                  </td>
                ) : null}
                {columns.map((column) => (
                  <td
                    key={column.key}
                    data-phone={column.phone ?? 'meta'}
                    data-label={column.phoneLabel}
                    className={cn(
                      'h-9 px-3 py-1 first:pl-4 last:pr-4',
                      column.align === 'end' && 'text-end',
                      column.className,
                    )}
                  >
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </TableKeyboardNavigation>
  );
}
