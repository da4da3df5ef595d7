import { db } from '@/server/db';
import { makeApiKey, makeMember, makeProject, makeUser } from '@/test/factories';
import type { TestServer } from '@/test/server';
import { evaluateOpen } from './data-evaluation';

type Enrolled = { id: string; clientToken: string };

/** An enterprise project with a key of every anti-cheat scope, and a player who is a member of it. */
export async function setupAntiCheat(server: TestServer) {
  const { project, owner } = await makeProject({ plan: 'enterprise' });
  const scopes = ['anticheat:session.write', 'anticheat:detections.read', 'anticheat:evidence.write'];
  const { key: apiKey } = await makeApiKey(project.id, { scopes });
  const player = await makeMember(project.id, 'MEMBER');

  async function enroll(bearer = player.bearer, game?: string) {
    const { body } = await server.post<Enrolled>('/anti-cheat/clients', {
      bearer,
      body: { projectId: project.id, game },
    });
    const client = { bearer: `Bearer ${body.clientToken}` };
    return {
      id: body.id,
      token: body.clientToken,
      beat: () => server.post('/anti-cheat/clients/me/heartbeat', client),
      report: (...reports: Record<string, unknown>[]) =>
        server.post<{ accepted: number; lastSequence: number }>('/anti-cheat/clients/me/reports', {
          ...client,
          body: { reports },
        }),
    };
  }

  async function start(body: Record<string, unknown> = { game: 'cs2', participants: [{ userId: player.id }] }) {
    const answer = await server.post<{ sessionId: string; matchId: string }>('/anti-cheat/sessions', { apiKey, body });
    return answer.body;
  }

  return { project, owner, player, apiKey, enroll, start };
}

/** A report of a blocked program, which trips a rule of every game. */
export const injector = (sequence: number) => ({
  sequence,
  at: new Date().toISOString(),
  kind: 'process',
  data: { name: 'xenos64.exe' },
});

/** Applies the rules to a session now, as its function does several times a minute. */
export const evaluate = (sessionId: string, budgetMs?: number) => evaluateOpen(sessionId, budgetMs);

/** The types of the events about something, in order. */
export async function eventsOf(aggregateId: string): Promise<string[]> {
  const rows = await db.domainEvent.findMany({ where: { aggregateId }, orderBy: { id: 'asc' } });
  return rows.map(({ type }) => type);
}

/** Another project with a key of its own. */
export async function setupStranger() {
  const { project } = await makeProject({ plan: 'enterprise' });
  const { key: apiKey } = await makeApiKey(project.id, {
    scopes: ['anticheat:session.write', 'anticheat:detections.read', 'anticheat:evidence.write'],
  });
  return { project, apiKey, user: await makeUser() };
}
