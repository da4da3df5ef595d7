'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { AuditSentence } from '@/components/projects/audit-log/audit-sentence';
import { type AuditEntry, auditFilters, remainingDetails } from '@/components/projects/audit-log/describe-audit-entry';
import { auditLogInput } from '@/components/projects/list-inputs';
import { type Column, Table } from '@/components/ui/data/table';
import { Select } from '@/components/ui/form/select';
import { Pagination } from '@/components/ui/navigation/pagination';
import { EmptyState } from '@/components/ui/page/empty-state';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { Copy } from '@/components/ui/text/copy';
import { DateTime } from '@/components/ui/text/date-time';
import type { AuditTarget } from '@/domain/projects/audit-actions';
import { useTRPC } from '@/trpc/client';

const isInstant = (value: string) => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);

const auditLogColumns = (base: string): Column<AuditEntry>[] => [
  {
    key: 'when',
    header: 'Time',
    phone: 'end',
    className: 'whitespace-nowrap text-muted',
    cell: (entry) => <DateTime value={entry.createdAt} style="short" />,
  },
  {
    key: 'what',
    header: 'Change',
    phone: 'title',
    className: 'sm:min-w-64',
    cell: (entry) => <AuditSentence entry={entry} base={base} />,
  },
  {
    key: 'details',
    header: 'Details',
    phone: 'line',
    cell: (entry) => (
      <span className="flex flex-wrap gap-x-4 text-muted">
        {remainingDetails(entry).map(({ label, value }) => (
          <span key={label} className="wrap-anywhere">
            {label}:{' '}
            <span className="text-ink">{isInstant(value) ? <DateTime value={value} style="short" /> : value}</span>
          </span>
        ))}
      </span>
    ),
  },
  {
    key: 'target',
    header: 'ID',
    phone: 'line',
    cell: (entry) => <Copy value={entry.targetId} />,
  },
];

/** Who did what in the project, newest first. `base` is the path of the project's dashboard. */
export function AuditLog({ projectId, base }: { projectId: string; base: string }) {
  const trpc = useTRPC();
  const [page, setPage] = useState(1);
  const [filter, setFilter] = useState<AuditTarget | 'all'>('all');
  const list = useQuery({
    ...trpc.projects.auditLog.list.queryOptions({
      ...auditLogInput(projectId),
      page,
      ...(filter === 'all' ? {} : { targetType: filter }),
    }),
    placeholderData: keepPreviousData,
  });
  return (
    <div className="grid grid-cols-1 gap-4">
      <div className="w-full sm:w-56">
        <Select
          aria-label="Filter changes"
          value={filter}
          onValueChange={(value) => {
            setFilter(value as AuditTarget | 'all');
            setPage(1);
          }}
          options={[{ value: 'all', label: 'All changes' }, ...auditFilters]}
        />
      </div>
      {list.isPending ? (
        <SkeletonTable label="Loading the audit log" rows={12} />
      ) : list.isError ? (
        <QueryError title="The audit log could not be loaded" query={list} />
      ) : (
        <div className={list.isPlaceholderData ? 'opacity-60' : undefined}>
          <Table
            caption="Audit log"
            rows={list.data.items}
            columns={auditLogColumns(base)}
            rowKey={(entry) => entry.id}
            empty={
              <EmptyState title="No changes yet">
                Every change in the project is listed here, with who made it and when.
              </EmptyState>
            }
          />
          <Pagination
            page={list.data.page}
            limit={list.data.limit}
            total={list.data.total}
            onPage={setPage}
            noun="changes"
          />
        </div>
      )}
    </div>
  );
}
