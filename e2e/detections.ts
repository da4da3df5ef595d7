import { expect } from 'playwright/test';
import type { Demo } from '../src/embedded/demo/demo';
import { type Rest, restAs } from './people';

type Detection = { id: string; ruleId: string; userId: string; sessionId: string };

/** The integrator of the demo project: REST with its anti-cheat key. */
export const integrator = (demo: Demo): Promise<Rest> =>
  restAs(process.env.E2E_BASE_URL ?? '', null, { 'x-api-key': demo.apiKeys.antiCheat });

/**
 * Has the clients of demo accounts report a blocked program in a new session, of a match if one is given, and ends it: then
 * nobody waits for the next round. With `keepsRunning`, the rounds of the running product find what was reported.
 * @returns the session, and its detections, the newest first
 */
export async function raiseDetections(
  { demo, rest }: { demo: Demo; rest: (email: string) => Promise<Rest> },
  emails: readonly string[],
  { matchId, keepsRunning = false }: { matchId?: string; keepsRunning?: boolean } = {},
): Promise<{ sessionId: string; detections: Detection[] }> {
  const tokens: string[] = [];
  const participants: { userId: string }[] = [];
  for (const email of emails) {
    const player = await rest(email);
    const me = await player<{ id: string }>('GET', '/me');
    participants.push({ userId: me.body.id });
    const body = { projectId: demo.project.id, deviceName: 'Desk at home' };
    tokens.push((await player<{ clientToken: string }>('POST', '/anti-cheat/clients', body)).body.clientToken);
  }
  const server = await integrator(demo);
  const started = await server<{ sessionId: string }>('POST', '/anti-cheat/sessions', {
    ...{ game: 'cs2', participants, matchId },
  });
  const { sessionId } = started.body;
  for (const token of tokens) {
    const client = await restAs(process.env.E2E_BASE_URL ?? '', null, { authorization: `Bearer ${token}` });
    const names = ['chrome.exe', 'xenos64.exe'];
    const reports = names.map((name, index) => {
      return { sequence: index + 1, at: new Date().toISOString(), kind: 'process', data: { name } };
    });
    const sent = await client('POST', '/anti-cheat/clients/me/reports', { reports });
    if (sent.status !== 200) throw new Error(`Not reported: ${JSON.stringify(sent.body)}`);
  }
  if (!keepsRunning) await server('POST', `/anti-cheat/sessions/${sessionId}/end`);
  const find = async () =>
    (await server<Detection[]>('GET', '/anti-cheat/detections')).body.filter((one) => one.sessionId === sessionId);
  await expect.poll(async () => (await find()).length, { timeout: 60_000 }).toBe(emails.length);
  return { sessionId, detections: await find() };
}
