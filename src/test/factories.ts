import { newId } from '@/domain/ids';
import { scopes } from '@/domain/projects/scopes';
import type { Plan, ProjectRole } from '@/generated/prisma/enums';
import type {
  ParticipantUncheckedCreateInput,
  TournamentUncheckedCreateInput,
  WebhookSubscriptionUncheckedCreateInput,
} from '@/generated/prisma/models';
import { mintApiKey } from '@/server/auth/api-keys';
import { signAccessToken } from '@/server/auth/bearer';
import { encryptSecret } from '@/server/crypto';
import { db } from '@/server/db';
import { createSigningSecret } from '@/server/delivery/secrets';
import { eventCatalog } from '@/server/events/catalog/catalog';
import { emit, type NewEvent, systemActor } from '@/server/events/emit';

const unique = () => newId('req').slice(-10);

/** A verified user without a password, and a Bearer value for them. */
export async function makeUser(data: { name?: string; email?: string } = {}) {
  const id = newId('usr');
  const name = data.name ?? `Player ${unique()}`;
  const user = await db.user.create({
    data: { id, name, email: data.email ?? `${id}@players.test`, emailVerifiedAt: new Date() },
  });
  return { ...user, bearer: `Bearer ${await signAccessToken(user)}` };
}

/** A project with its owner. */
export async function makeProject(data: { plan?: Plan; name?: string } = {}) {
  const owner = await makeUser({ name: 'Owner' });
  const id = newId('prj');
  const project = await db.project.create({
    data: {
      id,
      slug: id.replace('_', '-'),
      name: data.name ?? `Project ${unique()}`,
      plan: data.plan ?? 'enterprise',
      members: { create: { userId: owner.id, role: 'OWNER' } },
    },
  });
  return { project, owner };
}

/** A new user with a role in the project. */
export async function makeMember(projectId: string, role: ProjectRole) {
  const user = await makeUser({ name: role });
  await db.member.create({ data: { projectId, userId: user.id, role } });
  return user;
}

/** A live API key of the project; with every scope by default. */
export async function makeApiKey(projectId: string, data: { scopes?: string[]; expiresAt?: Date } = {}) {
  const { key, publicId, keyHash } = mintApiKey();
  const row = await db.apiKey.create({
    data: {
      id: newId('key'),
      projectId,
      name: 'Test key',
      publicId,
      keyHash,
      scopes: data.scopes ?? [...scopes],
      expiresAt: data.expiresAt,
      createdById: newId('usr'),
    },
  });
  return { ...row, key };
}

/** A published individual tournament with open registration, by default. */
export async function makeTournament(projectId: string, data: Partial<TournamentUncheckedCreateInput> = {}) {
  const id = newId('trn');
  const gameId = data.gameId ?? 'cs2';
  await db.game.createMany({ data: [{ id: gameId, name: 'Counter-Strike 2' }], skipDuplicates: true });
  return db.tournament.create({
    data: {
      id,
      projectId,
      slug: id.replace('_', '-'),
      name: `Cup ${unique()}`,
      gameId,
      maxParticipants: 16,
      startDate: new Date(Date.now() + 86_400_000),
      status: 'PUBLISHED',
      publishedAt: data.status === 'DRAFT' ? null : new Date(),
      createdById: newId('usr'),
      ...data,
    },
  });
}

/** A team with its captain and, in this order, further players. */
export async function makeTeam(captain: { id: string }, players: { id: string }[] = [], data: { name?: string } = {}) {
  const members = [
    { userId: captain.id, role: 'captain' as const },
    ...players.map(({ id: userId }) => ({ userId, role: 'player' as const })),
  ];
  return db.team.create({
    data: { id: newId('tem'), name: data.name ?? `Team ${unique()}`, members: { create: members } },
  });
}

/** An active, signing subscription to `url`, with its secret in plain text. */
export async function makeSubscription(
  projectId: string,
  data: Partial<WebhookSubscriptionUncheckedCreateInput> & { url: string },
) {
  const signingSecret = createSigningSecret();
  const row = await db.webhookSubscription.create({
    data: {
      id: newId('whs'),
      projectId,
      events: ['*'],
      signingSecretEncrypted: encryptSecret(signingSecret),
      createdById: newId('usr'),
      ...data,
    },
  });
  return { ...row, signingSecret };
}

/** Commits `count` events of a made-up participant in the project. @returns their ids, in order */
export async function emitEvents(projectId: string, count: number): Promise<string[]> {
  const { example } = eventCatalog['participant.registered'];
  const origin = { actor: systemActor, requestId: null };
  const events = Array.from({ length: count }, (_, index): NewEvent => {
    const payload = { ...example, name: `Player ${index + 1}` };
    return { projectId, type: 'participant.registered', aggregateId: payload.participantId, payload };
  });
  return db.$transaction((tx) => emit(tx, origin, ...events));
}

/**
 * An anti-cheat client of the player in the project, whose last heartbeat was `heardSecondsAgo` by the database's
 * clock; null: never.
 */
export async function makeAntiCheatClient(
  projectId: string,
  userId: string,
  data: { heardSecondsAgo?: number | null; revokedAt?: Date; game?: string } = {},
) {
  const id = newId('acl');
  const { heardSecondsAgo = 0, ...columns } = data;
  const client = await db.antiCheatClient.create({ data: { id, projectId, userId, tokenHash: id, ...columns } });
  if (heardSecondsAgo !== null) {
    await db.$executeRaw`
      UPDATE "anti_cheat_client" SET "lastHeartbeatAt" = clock_timestamp() - ${heardSecondsAgo} * interval '1 second'
      WHERE "id" = ${id}`;
  }
  return client;
}

/**
 * Participants of an individual tournament, as registering them one by one would create them, but without events.
 * @returns their ids, in order
 */
export async function makeParticipants(
  tournament: { id: string; maxParticipants: number; currentParticipants: number },
  count: number,
  data: Partial<ParticipantUncheckedCreateInput> = {},
): Promise<string[]> {
  const free = tournament.maxParticipants - tournament.currentParticipants;
  const registeredAt = Date.now() - count;
  const rows = Array.from({ length: count }, (_, index) => ({
    id: newId('prt'),
    userId: newId('usr'),
    name: `Player ${index + 1}`,
    registeredAt: new Date(registeredAt + index),
    registrationStatus: data.registrationStatus ?? (index < free ? ('approved' as const) : ('waitlisted' as const)),
  }));
  await db.user.createMany({
    data: rows.map(({ userId, name }) => ({ id: userId, name, email: `${userId}@players.test` })),
  });
  await db.$executeRaw`
    INSERT INTO "participant" ("id", "tournamentId", "userId", "name", "registeredAt", "registrationStatus", "status",
      "waitlistOrder", "approvedAt", "updatedAt")
    SELECT e."id", ${tournament.id}, e."userId", e."name", e."registeredAt", e."registrationStatus",
      ${data.status ?? 'registered'}::"participant_status",
      CASE e."registrationStatus" WHEN 'waitlisted' THEN nextval('participant_waitlist_order') END,
      CASE e."registrationStatus" WHEN 'approved' THEN now() END, now()
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS e("id" text, "userId" text, "name" text,
      "registeredAt" timestamptz, "registrationStatus" "registration_status")`;
  const taken = rows.filter((row) => row.registrationStatus === 'approved').length;
  await db.tournament.update({ where: { id: tournament.id }, data: { currentParticipants: { increment: taken } } });
  return rows.map((row) => row.id);
}
