import type { Metadata } from 'next';
import Link from 'next/link';
import { loadProject } from '@/app/dashboard/load-project';
import { AuditSentence } from '@/components/projects/audit-log/audit-sentence';

import { NewTournamentLink, NoTournaments } from '@/components/tournaments/manage/new-tournament';
import { RegistrationsChart } from '@/components/tournaments/manage/registrations-chart';
import { ToDoList } from '@/components/tournaments/manage/to-do-list';
import { organizerToDos } from '@/components/tournaments/manage/to-dos';
import { tournamentHref } from '@/components/tournaments/manage/tournament-href';
import { TournamentTable } from '@/components/tournaments/manage/tournament-table';
import { Card } from '@/components/ui/data/card';
import { AutoRefresh } from '@/components/ui/page/auto-refresh';
import { PageHeader } from '@/components/ui/page/page-header';
import { RelativeTime } from '@/components/ui/text/date-time';
import { can } from '@/domain/projects/permissions';
import { counted } from '@/domain/text/counted';
import { api, orPage } from '@/trpc/server';

type Params = Promise<{ project: string }>;

export async function generateMetadata({ params }: { params: Params }): Promise<Metadata> {
  return { title: (await loadProject((await params).project)).project.name };
}

/** Loads everything that the page shows. Parts that the viewer's role cannot see are null. */
async function loadOverview(projectId: string, sees: { registrations: boolean; webhooks: boolean; audit: boolean }) {
  const call = await api();
  const soonest = { projectId, sort: 'startDate' } as const;
  return Promise.all([
    orPage(call.tournaments.forProject({ ...soonest, status: 'PUBLISHED', limit: 50 })),
    call.tournaments.forProject({ projectId, status: 'IN_PROGRESS', limit: 10 }),
    call.tournaments.forProject({ ...soonest, status: 'DRAFT', limit: 50 }),
    sees.registrations ? call.participants.ofProject({ projectId }) : null,
    sees.webhooks ? call.webhooks.subscriptions.listOfProject({ projectId, limit: 100 }) : null,
    sees.audit ? call.projects.auditLog.list({ projectId, limit: 8 }) : null,
  ]);
}

export default async function Page({ params }: { params: Params }) {
  const { project } = await loadProject((await params).project);
  const base = `/dashboard/${project.slug}`;
  const canCreate = can(project.role, 'tournaments:write');
  const [published, running, drafts, registrations, webhooks, auditLog] = await loadOverview(project.id, {
    registrations: can(project.role, 'participants:read'),
    webhooks: can(project.role, 'webhooks:read'),
    audit: can(project.role, 'audit:read'),
  });
  const toDos = organizerToDos({
    published: published.items,
    drafts: canCreate ? drafts.items : [],
    totals: registrations?.tournaments ?? [],
    webhooks: webhooks?.items ?? [],
    now: Date.now(),
    tournamentHref: (tournament) => tournamentHref(project.slug, tournament),
    webhooksHref: `${base}/webhooks`,
  });
  const current = [...running.items, ...published.items].slice(0, 8);
  const total = Object.values(published.counts).reduce((sum, count) => sum + count, 0);
  const [next] = published.items;

  if (total === 0) {
    return (
      <>
        <PageHeader title={project.name} />
        <NoTournaments projectSlug={project.slug} canCreate={canCreate} />
      </>
    );
  }

  return (
    <>
      <AutoRefresh />
      <PageHeader title={project.name} actions={canCreate ? <NewTournamentLink projectSlug={project.slug} /> : null} />
      <div className="grid grid-cols-1 gap-8">
        <section aria-labelledby="needs" className="grid grid-cols-1 gap-3">
          <h2 id="needs" className="display text-xl">
            Needs your attention
          </h2>
          <ToDoList toDos={toDos} note={next ? `Next: ${next.name}.` : 'No tournaments are published.'} />
        </section>
        <section aria-labelledby="current" className="grid grid-cols-1 gap-3">
          <div className="flex items-baseline justify-between gap-4">
            <h2 id="current" className="display text-xl">
              Live and upcoming
            </h2>
            <Link href={`${base}/tournaments`} className="text-accent underline underline-offset-4">
              All {total}
            </Link>
          </div>
          <TournamentTable
            projectSlug={project.slug}
            rows={current}
            caption="Live and upcoming tournaments"
            empty={
              <p className="rounded border px-5 py-8 text-muted">
                No tournaments are published. {drafts.total > 0 ? `${counted(drafts.total, 'draft')}.` : ''}
              </p>
            }
          />
        </section>
        <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
          {registrations ? (
            <Card title="Registrations" description="Per day, in all tournaments">
              <RegistrationsChart days={registrations.registrationsByDay} />
            </Card>
          ) : null}
          {auditLog ? (
            <Card
              title="Recent activity"
              action={
                <Link href={`${base}/settings/audit-log`} className="text-accent underline underline-offset-4">
                  Audit log
                </Link>
              }
            >
              <ul className="grid gap-2.5">
                {auditLog.items.map((entry) => (
                  <li key={entry.id} className="flex items-baseline justify-between gap-4">
                    <span className="min-w-0">
                      <AuditSentence entry={entry} base={base} />
                    </span>
                    <RelativeTime value={entry.createdAt} className="shrink-0 text-xs text-muted" />
                  </li>
                ))}
              </ul>
            </Card>
          ) : null}
        </div>
      </div>
    </>
  );
}
