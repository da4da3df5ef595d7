'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { AuditSentence } from '@/components/projects/audit-log/audit-sentence';
import {
  type AuditEntry,
  type AuditFilter,
  actorName,
  auditFilters,
  detailPairs,
} from '@/components/projects/audit-log/describe-audit-entry';
import { auditLogInput } from '@/components/projects/list-inputs';
import { type Column, Table } from '@/components/ui/data/table';
import { Select } from '@/components/ui/form/select';
import { Pagination } from '@/components/ui/navigation/pagination';
import { EmptyState } from '@/components/ui/page/empty-state';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { Copy } from '@/components/ui/text/copy';
import { DateTime } from '@/components/ui/text/date-time';
import { useTRPC } from '@/trpc/client';

const columns: Column<AuditEntry>[] = [
  {
    key: 'when',
    header: 'When',
    phone: 'end',
    className: 'whitespace-nowrap text-muted',
    cell: (entry) => <DateTime value={entry.createdAt} style="short" />,
  },
  {
    key: 'what',
    header: 'What',
    phone: 'title',
    className: 'sm:min-w-64',
    cell: (entry) => (
      <>
        <span className="font-medium" dir="auto">
          {actorName(entry)}
        </span>{' '}
        <AuditSentence entry={entry} />
      </>
    ),
  },
  {
    key: 'details',
    header: 'Details',
    phone: 'line',
    cell: (entry) => (
      <span className="flex flex-wrap gap-x-4 text-muted">
        {detailPairs(entry).map(({ name, value }) => (
          <span key={name} className="wrap-anywhere">
            {name} <span className="text-ink">{value}</span>
          </span>
        ))}
      </span>
    ),
  },
  {
    key: 'target',
    header: 'To what',
    phone: 'line',
    cell: (entry) => <Copy value={entry.targetId} />,
  },
];

/** Who did what in the project, newest first. */
export function AuditLog({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const [page, setPage] = useState(1);
  const [filter, setFilter] = useState<AuditFilter | 'all'>('all');
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
          aria-label="Show changes of"
          value={filter}
          onValueChange={(value) => {
            setFilter(value as AuditFilter | 'all');
            setPage(1);
          }}
          options={[{ value: 'all', label: 'Everything' }, ...auditFilters]}
        />
      </div>
      {list.isPending ? (
        <SkeletonTable label="Loading the audit log" rows={12} />
      ) : list.isError ? (
        <QueryError title="The audit log could not be read" query={list} />
      ) : (
        <div className={list.isPlaceholderData ? 'opacity-60' : undefined}>
          <Table
            caption="Audit log"
            rows={list.data.items}
            columns={columns}
            rowKey={(entry) => entry.id}
            empty={
              <EmptyState title="Nothing of this kind was changed">
                Every change of an organizer is kept here with who made it and when.
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
