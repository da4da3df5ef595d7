import { LockKeyhole } from 'lucide-react';
import type { ReactNode } from 'react';
import { PageHeader } from '@/components/ui/page/page-header';
import { type Permission, whoCan } from '@/domain/projects/permissions';
import { type ProjectRole, roleWords } from '@/domain/projects/roles';

/** Shown in place of a page that the viewer's role cannot open. */
export function RoleNotice({
  title,
  role,
  needs,
  what,
  children,
}: {
  title: string;
  role: ProjectRole;
  needs: Permission;
  /** Completes "Owners and admins can …". */
  what: string;
  children?: ReactNode;
}) {
  return (
    <>
      <PageHeader title={title} />
      <div className="flex max-w-2xl gap-4 rounded border p-5">
        <LockKeyhole aria-hidden className="mt-0.5 size-5 shrink-0 text-muted" />
        <div className="grid gap-2">
          <p className="font-medium">
            {whoCan(needs)} of this project can {what}.
          </p>
          <p className="text-muted">
            Your role is {roleWords[role].name}, which lets you {roleWords[role].can}. Ask an owner if you need another
            role.
          </p>
          {children}
        </div>
      </div>
    </>
  );
}
