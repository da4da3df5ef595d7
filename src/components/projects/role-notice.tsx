import { LockKeyhole } from 'lucide-react';
import type { ReactNode } from 'react';
import { type Role, roleWords } from '@/components/projects/roles';
import { PageHeader } from '@/components/ui/page/page-header';

/** A page that the viewer's role does not open: says so, and who can help. */
export function RoleNotice({
  title,
  role,
  needs,
  what,
  children,
}: {
  title: string;
  role: Role;
  /** The least role that opens it. */
  needs: Role;
  /** As in "Only owners and admins … see the members". */
  what: string;
  children?: ReactNode;
}) {
  const who = needs === 'ADMIN' ? 'Owners and admins' : 'Organizers, admins and owners';
  return (
    <>
      <PageHeader title={title} />
      <div className="flex max-w-2xl gap-4 rounded border p-5">
        <LockKeyhole aria-hidden className="mt-0.5 size-5 shrink-0 text-muted" />
        <div className="grid gap-2">
          <p className="font-medium">
            {who} of this project {what}.
          </p>
          <p className="text-muted">
            You are {roleWords[role].word.toLowerCase()}. {roleWords[role].may} Ask an owner for another role if you
            need it.
          </p>
          {children}
        </div>
      </div>
    </>
  );
}
