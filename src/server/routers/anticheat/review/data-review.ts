import type { Verdict } from '@/domain/anticheat/reviews';
import type { ProjectAuditAction } from '@/domain/projects/audit-actions';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { audit, notifyPages, type Origin } from '@/server/events/emit';
import { noSuchDetection } from './data-detection';
import type { ReviewOutput } from './schema';

/** What was done, in sentences: `Olivia confirmed this detection`. */
const done: Record<Verdict | 'unreviewed', string> = {
  confirmed: 'confirmed this detection',
  dismissed: 'dismissed this detection',
  inconclusive: 'marked this detection as inconclusive',
  unreviewed: 'took back the review of this detection',
};

const actions = {
  confirmed: 'detection.confirm',
  dismissed: 'detection.dismiss',
  inconclusive: 'detection.mark_inconclusive',
  unreviewed: 'detection.reopen',
} as const satisfies Record<Verdict | 'unreviewed', ProjectAuditAction>;

type Review = {
  projectId: string;
  detectionId: string;
  verdict: Verdict | null;
  note: string | null;
  /** The one that staff saw; undefined: any. */
  version: number | undefined;
};

/**
 * Records what staff decided about a detection, or takes that back, if nobody has reviewed it since `version`.
 * @throws NOT_FOUND, FORBIDDEN for one of their own, or ALREADY_REVIEWED with who was first
 */
export async function recordReview(
  tx: Tx,
  by: Origin,
  { projectId, detectionId: id, verdict, note, version }: Review,
): Promise<ReviewOutput> {
  const select = { ruleId: true, rule: true, userId: true, verdict: true } as const;
  const before = await tx.detection.findFirst({ where: { id, projectId }, select });
  if (!before) throw noSuchDetection();
  if (before.userId === by.actor.id) {
    throw refuse('FORBIDDEN', { message: 'This detection is about your own account. Somebody else has to review it.' });
  }
  const [after] = await tx.detection.updateManyAndReturn({
    where: { id, projectId, version },
    data: {
      verdict,
      note: verdict === null ? null : note || null,
      reviewedById: verdict === null ? null : by.actor.id,
      reviewedAt: verdict === null ? null : new Date(),
      version: { increment: 1 },
    },
    select: { verdict: true, note: true, reviewedById: true, reviewedAt: true, version: true },
  });
  if (!after) throw await alreadyReviewed(tx, id);
  const { ruleId, rule, userId } = before;
  await audit(tx, by, {
    projectId,
    action: actions[verdict ?? 'unreviewed'],
    targetType: 'detection',
    targetId: id,
    details: { rule, ruleId, userId, from: before.verdict, ...(after.note ? { note: after.note } : {}) },
  });
  notifyPages(tx, { type: 'detection.changed', projectId, detectionId: id });
  const { reviewedById, reviewedAt } = after;
  const reviewer = await nameOf(tx, reviewedById);
  return {
    id,
    verdict: after.verdict,
    note: after.note,
    reviewedBy: reviewedById === null ? null : { userId: reviewedById, name: reviewer },
    reviewedAt: reviewedAt?.toISOString() ?? null,
    version: after.version,
  };
}

async function nameOf(tx: Tx, userId: string | null): Promise<string | null> {
  if (userId === null) return null;
  return (await tx.user.findUnique({ where: { id: userId }, select: { name: true } }))?.name ?? null;
}

/** Says who was first, as the audit log has it: a review that was taken back has no reviewer. */
async function alreadyReviewed(tx: Tx, id: string) {
  const { verdict } = await tx.detection.findUniqueOrThrow({ where: { id }, select: { verdict: true } });
  const last = await tx.auditEntry.findFirst({
    where: { targetType: 'detection', targetId: id, action: { in: Object.values(actions) } },
    orderBy: { createdAt: 'desc' },
    select: { actorId: true },
  });
  const name = (await nameOf(tx, last?.actorId ?? null)) ?? 'Someone';
  return refuse('ALREADY_REVIEWED', {
    message: `${name} ${done[verdict ?? 'unreviewed']} in the meantime. Look at it again before you change it.`,
  });
}
