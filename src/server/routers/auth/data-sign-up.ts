import { newId } from '@/domain/ids';
import { visibleOutside } from '@/domain/tournaments/visibility';
import { hashToken } from '@/server/auth/api-keys';
import type { Tx } from '@/server/db';
import { emit } from '@/server/events/emit';
import { hashedBlock } from '@/server/limits/rate-limit';
import { userOrigin } from '@/server/routers/auth/data';

/**
 * Creates a user and emits `user.created`.
 * @param data.projectId the project whose page or invitation led to the sign-up
 * @returns null when the address already has an account
 */
export async function createUser(
  tx: Tx,
  requestId: string | null,
  data: { email: string; name: string; passwordHash: string | null; projectId: string | null; ip: string },
): Promise<{ id: string } | null> {
  const id = newId('usr');
  const { count } = await tx.user.createMany({
    data: {
      id,
      email: data.email,
      name: data.name,
      passwordHash: data.passwordHash,
      createdFrom: hashedBlock(data.ip),
    },
    skipDuplicates: true,
  });
  if (count === 0) return null;
  await emit(tx, userOrigin(id, requestId), {
    projectId: data.projectId,
    type: 'user.created',
    aggregateId: id,
    payload: { userId: id, name: data.name },
  });
  return { id };
}

/** The project whose page or invitation led to a sign-up. The token of an open invitation also proves the address. */
export async function signUpSource(
  tx: Tx,
  input: { email: string; invitationToken?: string; tournamentId?: string },
): Promise<{ projectId: string | null; provesAddress: boolean }> {
  const { email, invitationToken, tournamentId } = input;
  if (invitationToken) {
    const open = {
      tokenHash: hashToken(invitationToken),
      email,
      acceptedAt: null,
      revokedAt: null,
      expiresAt: { gt: new Date() },
    };
    const invitation = await tx.invitation.findUnique({ where: open, select: { projectId: true } });
    if (invitation) return { projectId: invitation.projectId, provesAddress: true };
    const toTeam = await tx.teamInvitation.findUnique({ where: { ...open, declinedAt: null }, select: { id: true } });
    if (toTeam) return { projectId: null, provesAddress: true };
  }
  if (tournamentId) {
    const tournament = await tx.tournament.findFirst({
      where: {
        OR: [{ id: tournamentId }, { slug: tournamentId }],
        ...visibleOutside,
      },
      select: { projectId: true },
    });
    if (tournament) return { projectId: tournament.projectId, provesAddress: false };
  }
  return { projectId: null, provesAddress: false };
}
