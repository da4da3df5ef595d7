import { describe, expect, test } from 'vitest';
import { makeMember, makeUser } from '@/test/factories';
import { follow } from '@/test/live';
import { setupTestServer } from '@/test/server';
import { statementsOf, watchStatements } from '@/test/statements';
import { hostTournament, hoursFromNow } from '@/test/tournaments';

const api = setupTestServer();

describe('live notices', () => {
  const subscribe = (id: string, bearer?: string) => {
    const input = encodeURIComponent(JSON.stringify({ json: { tournamentId: id } }));
    return follow(`${api.url}/api/trpc/tournaments.live?input=${input}`, bearer);
  };

  test('reach every viewer and say what happened, but not to whom or with which registration', async () => {
    const { id, organizer, path, register } = await hostTournament(api, {
      registrationOpensAt: hoursFromNow(1),
      requiresApproval: true,
    });
    const page = await subscribe(id);
    await page.until('live.resumed');
    await api.post(`${path}/registration/open`, { bearer: organizer.bearer });
    await page.until('registration.opened');
    const player = await makeUser();
    const { body } = await register(player.bearer);
    await page.until('participant.updated');
    await api.patch(`${path}/registrations/${body.id}/reject`, { bearer: organizer.bearer, body: { reason: 'Full' } });
    await expect.poll(() => page.text().split('participant.updated').length).toBe(3);
    for (const hidden of [player.id, body.id, 'registered', 'rejected']) expect(page.text()).not.toContain(hidden);
  });

  test('are for members only in a draft', async () => {
    const { id, owner } = await hostTournament(api, { status: 'DRAFT' });
    const outside = await subscribe(id);
    await outside.until('NOT_FOUND');
    expect(outside.text()).not.toMatch(/"type":"[a-z._]+"/);
    const inside = await subscribe(id, owner.bearer);
    await inside.until('live.resumed');
  });

  test('of a private tournament end for members who leave the project', async () => {
    const { id, project, owner, register } = await hostTournament(api, { visibility: 'private' });
    const member = await makeMember(project.id, 'MEMBER');
    const page = await subscribe(id, member.bearer);
    await page.until('live.resumed');
    await api.delete(`/projects/${project.id}/members/${member.id}`, { bearer: owner.bearer });
    await register(owner.bearer);
    await page.until('NOT_FOUND');
    expect(page.text()).not.toContain('participant.updated');
  });

  test('of a private tournament cost a few statements, however many watch it, and end for each who may not', async () => {
    const { id, project, owner, register, path, organizer } = await hostTournament(api, { visibility: 'private' });
    const members = await Promise.all(Array.from({ length: 3 }, () => makeMember(project.id, 'MEMBER')));
    const player = await makeMember(project.id, 'MEMBER');
    await register(player.bearer);
    await api.delete(`/projects/${project.id}/members/${player.id}`, { bearer: owner.bearer });
    const own = await subscribe(id, player.bearer);
    const pages = await Promise.all(
      Array.from({ length: 60 }, (_, index) => subscribe(id, members[index % members.length]?.bearer)),
    );
    for (const page of [...pages, own]) await page.until('live.resumed');
    const statements = await statementsOf(async () => {
      await api.patch(path, { bearer: organizer.bearer, body: { name: 'Spring Cup' } });
      for (const page of [...pages, own]) await page.until('tournament.updated');
    });
    expect(statements.length, statements.join('\n')).toBeLessThanOrEqual(40);
    await api.post(`${path}/registrations/me/cancel`, { bearer: player.bearer });
    await own.until('NOT_FOUND');
    await pages[0]?.until('participant.updated');
    expect(own.text()).not.toContain('participant.updated');
  });

  test('of a private tournament look a session and its viewer up once a second for all of its streams, and end with it', async () => {
    const { id, owner, path, organizer } = await hostTournament(api, { visibility: 'private' });
    const pages = await Promise.all(Array.from({ length: 20 }, () => subscribe(id, owner.bearer)));
    for (const page of pages) await page.until('live.resumed');
    const began = performance.now();
    const statements = await watchStatements(async () => {
      for (let count = 1; count <= 12; count += 1) {
        await api.patch(path, { bearer: organizer.bearer, body: { name: `Cup ${count}` } });
        for (const page of pages)
          await expect.poll(() => page.text().split('tournament.updated').length).toBe(count + 1);
      }
    });
    const seconds = Math.ceil((performance.now() - began) / 1_000);
    for (const part of ['u."sessionVersion"', 'JOIN "tournament" t']) {
      const lookUps = statements.filter(({ text, values }) => {
        return text.includes(part) && JSON.stringify(values).includes(owner.id);
      });
      expect(lookUps.length, part).toBeGreaterThanOrEqual(1);
      expect(lookUps.length, part).toBeLessThanOrEqual(seconds);
    }
    expect((await api.post('/me/sign-out-everywhere', { bearer: owner.bearer })).status).toBe(200);
    let changes = 0;
    for (const page of pages) {
      const change = () => api.patch(path, { bearer: organizer.bearer, body: { name: `Changed ${changes++}` } });
      await expect.poll(() => change().then(page.text)).toContain('INVALID_ACCESS_TOKEN');
    }
  });
});
