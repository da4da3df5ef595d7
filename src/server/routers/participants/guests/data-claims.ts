import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { type ParticipantRow, participantSelect, rosterName } from '@/server/routers/participants/data';

/**
 * Gives a guest of a locked tournament to an account, which becomes the captain of a team. A registration that the
 * account cancelled makes room, because there is one for each account. Answers of somebody who has left it are deleted: they are
 * about that person, and were given for the organizer.
 * @returns the cancelled registration that was deleted, if there was one
 * @throws ALREADY_REGISTERED, REGISTRATION_REJECTED, ALREADY_ON_ROSTER
 */
export async function moveToAccount(
  tx: Tx,
  { id, tournamentId, type }: Pick<ParticipantRow, 'id' | 'tournamentId' | 'type'>,
  userId: string,
): Promise<ParticipantRow | null> {
  const key = { tournamentId_userId: { tournamentId, userId } };
  const own = await tx.participant.findUnique({ where: key, select: participantSelect });
  if (own?.registrationStatus === 'rejected') throw refuse('REGISTRATION_REJECTED');
  if (own && own.registrationStatus !== 'cancelled') throw refuse('ALREADY_REGISTERED');
  if (await tx.rosterMember.findUnique({ where: key, select: { id: true } })) {
    throw refuse('ALREADY_ON_ROSTER', { message: 'You are already on a roster of this tournament.' });
  }
  if (own) await tx.participant.delete({ where: { id: own.id }, select: { id: true } });
  const { formerUserId } = await tx.participant.findUniqueOrThrow({ where: { id }, select: { formerUserId: true } });
  const answers = formerUserId === userId ? {} : { customFields: {} };
  await tx.participant.update({
    where: { id },
    data: { userId, acceptedAt: new Date(), version: { increment: 1 }, ...answers },
    select: { id: true },
  });
  if (type === 'team') {
    const captain = await tx.rosterMember.findFirst({
      where: { participantId: id, role: 'captain', userId: null },
      select: { id: true },
    });
    if (captain) {
      const data = { userId, name: null, acceptedAt: new Date() };
      await tx.rosterMember.update({ where: { id: captain.id }, data, select: { id: true } });
    } else {
      const data = { participantId: id, tournamentId, userId, role: 'captain', acceptedAt: new Date() } as const;
      await tx.rosterMember.create({ data, select: { id: true } });
    }
  }
  return own;
}

/**
 * Takes a participant of a locked tournament from its account, which never agreed to it: it stays as a guest of the same name,
 * so that others keep their results, and staff can give it to somebody else. Whose registration it was stays known, because a
 * rejection or disqualification holds for them: the account's own, or one by which staff entered the player alone. Of a team that
 * staff put them in charge of, they may know nothing.
 */
export async function moveToGuest(
  tx: Tx,
  { id, type, roster }: ParticipantRow,
  userId: string,
): Promise<ParticipantRow> {
  const place = roster.find((member) => member.userId === userId);
  const isOwn = type === 'individual' || (place !== undefined && place.addedById === null);
  if (place) {
    const data = { userId: null, name: rosterName(place), acceptedAt: null, addedById: null, addedByStaff: false };
    const key = { participantId_userId: { participantId: id, userId } };
    await tx.rosterMember.update({ where: key, data, select: { id: true } });
  }
  const data = { userId: null, formerUserId: isOwn ? userId : null, version: { increment: 1 } };
  return tx.participant.update({ where: { id }, data, select: participantSelect });
}
