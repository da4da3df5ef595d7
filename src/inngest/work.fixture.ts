import { createHash } from 'node:crypto';
import { TRPCClientError } from '@trpc/client';
import { db } from '@/server/db';
import { readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import { makeDeliveries } from '@/test/deliveries';
import {
  emitEvents,
  makeParticipants,
  makeProject,
  makeSubscription,
  makeTournament,
  makeUser,
} from '@/test/factories';
import { png } from '@/test/images';
import { openReceiver } from '@/test/queue';
import type { clientOf, TestServer } from '@/test/server';

/** A piece of work that was done, and how long after it was due. Done twice, it is there twice. */
type Done = { id: string; afterMs: number };

/** Work of one kind that functions do. */
export type Work = {
  kind: string;
  /** Has a server commit what makes the work necessary. What fails is called again, as a person would. */
  announce: (server: Client) => Promise<void>;
  /** Ids of what is to be done, once it was announced. */
  expected: () => string[];
  done: () => Promise<Done[]>;
};

export type Client = ReturnType<typeof clientOf>;

/**
 * Calls until there is a response: the process may be killed, and another one started. A conflict: it had succeeded
 * before.
 */
async function insist<T extends { status: number; text?: unknown }>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    const answer = await call().catch((error: unknown) => {
      if (error instanceof TypeError || error instanceof TRPCClientError) return null;
      throw error;
    });
    if (answer && answer.status < 500) {
      // A moment passes while a busy machine starts another process.
      const late = `${answer.text}`.includes('must be in the future');
      if (answer.status >= 400 && answer.status !== 409 && !late) throw new Error(`${answer.status} ${answer.text}`);
      if (!late) return answer;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

const each = <Item>(items: readonly Item[], call: (item: Item) => Promise<{ status: number }>) =>
  Promise.all(items.map((item) => insist(() => call(item)))).then(() => undefined);
const three = <Item>(make: () => Promise<Item>) => Promise.all([make(), make(), make()]);
const soon = (ms: number) => new Date(Date.now() + ms);

async function webhooks(): Promise<Work> {
  const { project } = await makeProject();
  const target = await openReceiver();
  await makeSubscription(project.id, { url: target.url });
  let ids: string[] = [];
  let announcedAt = 0;
  return {
    kind: 'webhooks',
    async announce() {
      announcedAt = Date.now();
      ids = await emitEvents(project.id, 20);
    },
    expected: () => ids,
    done: async () =>
      target.received.map(({ at, body }) => ({ id: JSON.parse(body).event.id, afterMs: at - announcedAt })),
  };
}

/** What was sent to these people. An attempt that is repeated sends an email twice. */
async function emailsTo(recipients: string[]): Promise<Done[]> {
  const rows = await db.outgoingMail.findMany({ where: { recipient: { in: recipients }, sentAt: { not: null } } });
  return rows.flatMap(({ recipient: id, attempts, createdAt, sentAt }) =>
    Array.from({ length: attempts }, () => ({ id, afterMs: (sentAt ?? createdAt).getTime() - createdAt.getTime() })),
  );
}

async function accountEmails(api: TestServer): Promise<Work> {
  const captain = await makeUser();
  const people = await three(() => makeUser());
  const { body } = await api.post('/teams', { bearer: captain.bearer, body: { name: 'Owls' } });
  const addresses = people.map(({ email }) => email);
  return {
    kind: 'emails',
    announce: (server) =>
      each(people, ({ id: userId }) =>
        server.post(`/teams/${body.id}/members`, { bearer: captain.bearer, body: { userId } }),
      ),
    expected: () => addresses,
    done: () => emailsTo(addresses),
  };
}

async function eventEmails(): Promise<Work> {
  const { project } = await makeProject();
  const tournament = await makeTournament(project.id);
  const people = await three(() => makeUser());
  const addresses = people.map(({ email }) => email);
  let announcedAt = 0;
  return {
    kind: 'emails about events',
    announce(server) {
      announcedAt = Date.now();
      return each(people, (person) => server.post(`/tournaments/${tournament.id}/participants/register`, person));
    },
    expected: () => addresses,
    // They are due when the event is committed, not when they are written.
    async done() {
      const rows = await db.outgoingMail.findMany({ where: { recipient: { in: addresses }, sentAt: { not: null } } });
      const sentAt = new Map(rows.map((row) => [row.recipient, row.sentAt?.getTime() ?? 0]));
      return (await emailsTo(addresses)).map(({ id }) => ({ id, afterMs: (sentAt.get(id) ?? 0) - announcedAt }));
    },
  };
}

/** Events that should follow a moment; by id of what they are about. */
async function eventsAfter(type: string, moments: Map<string, number>): Promise<Done[]> {
  const rows = await db.domainEvent.findMany({ where: { type, aggregateId: { in: [...moments.keys()] } } });
  return rows.map(({ aggregateId: id, occurredAt }) => ({
    id,
    afterMs: occurredAt.getTime() - (moments.get(id) ?? 0),
  }));
}

/** Work that is due at a moment which a tournament is given. */
function scheduled(kind: string, type: string, field: string, ids: string[], bearer: string): Work {
  const moments = new Map<string, number>();
  return {
    kind,
    announce: (server) =>
      each(ids, (id) => {
        const moment = soon(8_000);
        moments.set(id, moment.getTime());
        return server.patch(`/tournaments/${id}`, { bearer, body: { [field]: moment.toISOString() } });
      }),
    expected: () => ids,
    done: () => eventsAfter(type, moments),
  };
}

async function openings(): Promise<Work> {
  const { project, owner } = await makeProject();
  const tournaments = await three(() => makeTournament(project.id, { registrationOpensAt: soon(3_600_000) }));
  const ids = tournaments.map(({ id }) => id);
  return scheduled('openings', 'registration.opened', 'registrationOpensAt', ids, owner.bearer);
}

async function starts(): Promise<Work> {
  const { project, owner } = await makeProject();
  const tournaments = await three(() => makeTournament(project.id, { autoStart: true }));
  for (const tournament of tournaments) await makeParticipants(tournament, 2);
  const ids = tournaments.map(({ id }) => id);
  return scheduled('starts', 'tournament.started', 'startDate', ids, owner.bearer);
}

async function confirmations(api: TestServer): Promise<Work> {
  // Silence confirms at once, where the product waits for a minute at least.
  await db.$executeRaw`ALTER TABLE "tournament" DROP CONSTRAINT IF EXISTS "tournament_play_minutes"`;
  const cups = await three(() => startCup(api, 2, { autoConfirmMinutes: 0 }));
  const reports = await Promise.all(
    cups.map(async (cup) => {
      const [match] = await readMatches(api, cup.tournamentId);
      // Who confirms their address by it, so that silence counts.
      await cup.bearerOf(match?.slots[1].participantId);
      return { matchId: match?.id ?? '', bearer: await cup.bearerOf(match?.slots[0].participantId) };
    }),
  );
  const moments = new Map<string, number>();
  return {
    kind: 'confirmations',
    announce(server) {
      for (const { matchId } of reports) moments.set(matchId, Date.now());
      const body = { games: [{ scores: [16, 3] }] };
      return each(reports, ({ matchId, bearer }) => server.post(`/matches/${matchId}/report`, { bearer, body }));
    },
    expected: () => reports.map(({ matchId }) => matchId),
    done: () => eventsAfter('match.completed', moments),
  };
}

async function replays(): Promise<Work> {
  const { project, owner } = await makeProject();
  const target = await openReceiver();
  // It gets no deliveries but these.
  const subscription = await makeSubscription(project.id, { url: target.url, events: ['webhook.test'] });
  const ids = await emitEvents(project.id, 10);
  await makeDeliveries(subscription, ids, { status: 'failed', createdAt: soon(-3_600_000) });
  let announcedAt = 0;
  return {
    kind: 'replays',
    announce(server) {
      announcedAt = Date.now();
      const body = { status: 'failed' };
      return each([subscription], ({ id }) =>
        server.post(`/webhooks/subscriptions/${id}/replay`, { bearer: owner.bearer, body }),
      );
    },
    expected: () => ids,
    done: async () =>
      target.received.map(({ at, body }) => ({ id: JSON.parse(body).event.id, afterMs: at - announcedAt })),
  };
}

async function uploads(): Promise<Work> {
  const { project, owner } = await makeProject();
  const tournament = await makeTournament(project.id);
  let ids: string[] = [];
  return {
    kind: 'uploads',
    async announce(server) {
      const { banner } = server.trpc(owner.bearer).tournaments;
      ids = await three(async () => {
        const bytes = png(100);
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        const terms = {
          tournamentId: tournament.id,
          contentType: 'image/png',
          sizeBytes: bytes.length,
          sha256,
        } as const;
        const { granted } = await insist(async () => ({ status: 200, granted: await banner.upload.mutate(terms) }));
        const { uploadUrl, requiredHeaders: headers } = granted;
        await insist(() => fetch(uploadUrl, { method: 'PUT', headers, body: bytes }));
        return granted.mediaFileId;
      });
    },
    expected: () => ids,
    async done() {
      const rows = await db.mediaFile.findMany({ where: { id: { in: ids }, status: 'ready' } });
      return rows.map(({ id, createdAt, updatedAt }) => ({ id, afterMs: updatedAt.getTime() - createdAt.getTime() }));
    },
  };
}

/** One piece of work of every kind or several. @param api a server whose events nothing handles, to prepare it */
export async function makeWork(api: TestServer): Promise<Work[]> {
  return [
    await webhooks(),
    await accountEmails(api),
    await eventEmails(),
    await openings(),
    await starts(),
    await confirmations(api),
    await replays(),
    await uploads(),
  ];
}
