import { rolesWith } from '@/domain/projects/permissions';
import { db } from '@/server/db';
import { startRefusedEmail } from '@/server/email/match-emails';
import { queueEmailsOnce } from '@/server/email/outbox';
import type { Refusal } from '@/server/errors';

/** What only staff can change. Other refusals, as while a server is busy, may not last until the next try. */
const lasting: Refusal['reason'][] = ['FORMAT_NOT_PLAYABLE', 'NOT_ENOUGH_PARTICIPANTS'];

/**
 * Puts an email for everybody who can start a tournament into the outbox, once for each start date: a player who cancels right before it
 * keeps a format that needs an exact number of them from starting by itself.
 */
export async function queueStartEmails(tournamentId: string, refusal: Refusal): Promise<void> {
  if (!lasting.includes(refusal.reason)) return;
  await db.$transaction(async (tx) => {
    const tournament = await tx.tournament.findUniqueOrThrow({
      where: { id: tournamentId },
      select: { name: true, slug: true, startDate: true, project: { select: { id: true, slug: true } } },
    });
    const { name, slug, startDate, project } = tournament;
    const members = await tx.member.findMany({
      where: {
        projectId: project.id,
        role: { in: rolesWith('tournaments:write') },
        user: { suspendedAt: null, emailVerifiedAt: { not: null } },
      },
      orderBy: { userId: 'asc' },
      select: { user: { select: { id: true, email: true } } },
    });
    const email = startRefusedEmail({ name, slug, projectSlug: project.slug, why: refusal.message });
    const dedupeKey = `start_refused:${tournamentId}:${startDate.toISOString()}`;
    const emails = members.map(({ user }) => ({
      ...{ to: user.email, kind: 'start_refused', email, sourceId: project.id },
      dedupeKey: `${dedupeKey}:${user.id}`,
    }));
    await queueEmailsOnce(tx, emails);
  });
}
