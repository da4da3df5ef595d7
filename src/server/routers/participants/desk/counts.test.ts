import { expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import type { ParticipantStatus, RegistrationStatus } from '@/generated/prisma/enums';
import { db } from '@/server/db';
import { makeMember, makeProject, makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();

async function addParticipant(
  tournamentId: string,
  registrationStatus: RegistrationStatus,
  status: ParticipantStatus = 'registered',
  registeredAt = new Date(),
) {
  const user = await makeUser();
  await db.participant.create({
    data: {
      id: newId('prt'),
      tournamentId,
      userId: user.id,
      name: user.name,
      registrationStatus,
      status,
      registeredAt,
      waitlistOrder: registrationStatus === 'waitlisted' ? 1 : null,
    },
  });
}

async function filled() {
  const { project, owner } = await makeProject();
  const cup = await makeTournament(project.id);
  await addParticipant(cup.id, 'approved');
  await addParticipant(cup.id, 'approved', 'checked_in');
  await addParticipant(cup.id, 'approved', 'disqualified');
  await addParticipant(cup.id, 'pending', 'registered', new Date(Date.now() - 86_400_000));
  await addParticipant(cup.id, 'waitlisted');
  await addParticipant(cup.id, 'cancelled', 'withdrew', new Date(Date.now() - 20 * 86_400_000));
  return { project, owner, cup };
}

test('the desk counts the participants of one tournament by state', async () => {
  const { cup, owner } = await filled();
  expect(await api.trpc(owner.bearer).participants.counts.query({ tournamentId: cup.slug })).toEqual({
    total: 6,
    approved: 3,
    pending: 1,
    waitlisted: 1,
    rejected: 0,
    cancelled: 1,
    notCheckedIn: 1,
    checkedIn: 1,
  });
});

test('the overview counts participants of current tournaments, and registrations per day', async () => {
  const { project, cup, owner } = await filled();
  const over = await makeTournament(project.id, { status: 'COMPLETED' });
  await addParticipant(over.id, 'pending');
  const { tournaments, registrationsByDay } = await api
    .trpc(owner.bearer)
    .participants.ofProject.query({ projectId: project.id });
  expect(tournaments).toEqual([{ tournamentId: cup.id, pending: 1, waitlisted: 1, notCheckedIn: 1, checkedIn: 1 }]);
  expect(registrationsByDay).toHaveLength(14);
  expect(registrationsByDay.at(-1)?.day).toBe(new Date().toISOString().slice(0, 10));
  expect(registrationsByDay.map((day) => day.registrations)).toEqual([...Array(12).fill(0), 1, 5]);
});

test('both need a moderator of the project', async () => {
  const { project, cup } = await filled();
  const moderator = await makeMember(project.id, 'MODERATOR');
  expect((await api.trpc(moderator.bearer).participants.counts.query({ tournamentId: cup.id })).total).toBe(6);
  for (const { bearer } of [await makeMember(project.id, 'MEMBER'), await makeUser()]) {
    await expect(api.trpc(bearer).participants.counts.query({ tournamentId: cup.id })).rejects.toThrow('role');
    await expect(api.trpc(bearer).participants.ofProject.query({ projectId: project.id })).rejects.toThrow();
  }
});
