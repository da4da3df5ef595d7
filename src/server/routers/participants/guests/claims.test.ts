import { describe, expect, test } from 'vitest';
import { lifetimes } from '@/domain/accounts/lifetimes';
import type { TournamentUncheckedCreateInput } from '@/generated/prisma/models';
import { db } from '@/server/db';
import { playOut } from '@/server/routers/matches/matches.fixture';
import { rebuildStats } from '@/server/routers/matches/stats/data-rebuild';
import type { ManagedParticipant, Registration } from '@/server/routers/participants/schema';
import { makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { statementsOf } from '@/test/statements';
import { type ErrorBody, hostTournament, lastEvent, refusalOf, rosterMember, teamOf } from '@/test/tournaments';

const api = setupTestServer();
type Link = { url: string; token: string; expiresAt: string };

/** A tournament with two guests, Ada and Bo. */
async function make(data: Partial<TournamentUncheckedCreateInput> = {}, guests: object[] = []) {
  const cup = await hostTournament(api, data);
  const { path, organizer } = cup;
  const { bearer } = organizer;
  const participants = guests.length > 0 ? guests : [{ name: 'Ada' }, { name: 'Bo' }];
  const added = await api.post<{ items: ManagedParticipant[] }>(`${path}/participants`, {
    bearer,
    body: { participants },
  });
  expect(added.status, added.text).toBe(201);
  const ids = added.body.items.map(({ id }) => id);
  return {
    ...cup,
    ids: ids as [string, string],
    link: (id: string) => api.post<Link & ErrorBody>(`${path}/participants/${id}/claim-link`, { bearer }),
    accept: (token: string, by: { bearer: string }) =>
      api.post<Registration & ErrorBody>('/claims/accept', { bearer: by.bearer, body: { token } }),
  };
}

describe('a claim link', () => {
  test('gives the participant to one account, as it is', async () => {
    const { link, accept, ids, mine, project, path, list } = await make();
    const created = await link(ids[0]);
    expect(created.status, created.text).toBe(201);
    expect(created.body.url).toMatch(new RegExp(`/claim/${created.body.token}$`));
    const left = Date.parse(created.body.expiresAt) - Date.now();
    expect(Math.abs(left - lifetimes.claim_link)).toBeLessThan(60_000);
    expect(JSON.stringify(await db.claimLink.findMany())).not.toContain(created.body.token);

    const player = await makeUser({ name: 'Ada Lovelace' });
    const accepted = await accept(created.body.token, player);
    expect(accepted.status, accepted.text).toBe(200);
    const expected = { id: ids[0], userId: player.id, name: 'Ada', isCaptain: true, canCancel: true };
    expect(accepted.body).toMatchObject(expected);
    expect((await mine(player.bearer)).body).toMatchObject(expected);
    const event = await lastEvent(project.id);
    expect([event.type, event.payload]).toMatchObject([
      'participant.updated',
      { participantId: ids[0], userId: player.id, changes: ['userId'] },
    ]);
    expect((await list('', player.bearer)).body.items.map(({ isMe }) => isMe)).toEqual([true, false]);
    const registrations = await api.get<{ items: { id: string }[] }>('/me/registrations', { bearer: player.bearer });
    expect(registrations.body.items.map(({ id }) => id)).toEqual([ids[0]]);

    const other = await makeUser();
    expect(refusalOf(await accept(created.body.token, other))).toEqual([409, 'CLAIM_LINK_CLOSED']);
    expect(refusalOf(await accept(created.body.token, player))).toEqual([409, 'CLAIM_LINK_CLOSED']);
    expect(refusalOf(await link(ids[0]))).toEqual([409, 'INVALID_STATE']);
    expect((await api.post(`${path}/registrations/me/cancel`, { bearer: player.bearer })).status).toBe(200);
  });

  test('is closed once who made it has left the staff', async () => {
    const { link, accept, ids, organizer, project, path } = await make();
    const kept = (await link(ids[0])).body.token;
    const where = { projectId_userId: { projectId: project.id, userId: organizer.id } };
    await db.member.update({ where, data: { role: 'MEMBER' } });
    expect(refusalOf(await accept(kept, await makeUser()))).toEqual([409, 'CLAIM_LINK_CLOSED']);
    await db.member.delete({ where });
    expect(refusalOf(await accept(kept, organizer))).toEqual([409, 'CLAIM_LINK_CLOSED']);
    expect(refusalOf(await api.get(`${path}/registrations/me`, organizer))).toEqual([404, 'NOT_REGISTERED']);
    await db.member.create({ data: { projectId: project.id, userId: organizer.id, role: 'ORGANIZER' } });
    await db.user.update({ where: { id: organizer.id }, data: { suspendedAt: new Date() } });
    expect(refusalOf(await accept(kept, await makeUser()))).toEqual([409, 'CLAIM_LINK_CLOSED']);
    await db.user.update({ where: { id: organizer.id }, data: { suspendedAt: null } });
    expect((await accept(kept, await makeUser())).status).toBe(200);
  });

  test('is closed by a newer one and by time', async () => {
    const { link, accept, ids } = await make();
    const first = (await link(ids[0])).body.token;
    const second = (await link(ids[0])).body.token;
    const player = await makeUser();
    expect(refusalOf(await accept(first, player))).toEqual([409, 'CLAIM_LINK_CLOSED']);
    await db.claimLink.updateMany({ where: { participantId: ids[0] }, data: { expiresAt: new Date() } });
    expect(refusalOf(await accept(second, player))).toEqual([409, 'CLAIM_LINK_CLOSED']);
    const preview = await api.trpc().participants.claims.preview.query({ token: second });
    expect(preview).toMatchObject({ isOpen: false, participant: { name: 'Ada', type: 'individual' } });
    const third = (await link(ids[0])).body.token;
    expect(await api.trpc().participants.claims.preview.query({ token: third })).toMatchObject({ isOpen: true });
    expect((await accept(third, player)).status).toBe(200);
  });

  test('goes to one of several accounts that accept at once', async () => {
    const { link, accept, ids } = await make();
    const { token } = (await link(ids[0])).body;
    const players = await Promise.all(Array.from({ length: 6 }, () => makeUser()));
    const responses = await Promise.all(players.map((player) => accept(token, player)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    const winner = players[responses.findIndex(({ status }) => status === 200)];
    expect((await db.participant.findUniqueOrThrow({ where: { id: ids[0] } })).userId).toBe(winner?.id);
  });

  test('gives one account one participant only, when it accepts two links at once', async () => {
    const { link, accept, ids } = await make();
    const tokens = [(await link(ids[0])).body.token, (await link(ids[1])).body.token];
    const player = await makeUser();
    const responses = await Promise.all(tokens.map((token) => accept(token, player)));
    expect(responses.map(refusalOf).sort()).toEqual([
      [200, undefined],
      [409, 'ALREADY_REGISTERED'],
    ]);
    expect(await db.claimLink.count({ where: { participantId: { in: ids }, acceptedAt: { not: null } } })).toBe(1);
  });

  test('is refused for who takes part already, and replaces a cancelled registration', async () => {
    const { link, accept, ids, register, cancel, id: tournamentId } = await make();
    const player = await makeUser();
    const registered = (await register(player.bearer)).body.id;
    const { token } = (await link(ids[0])).body;
    expect(refusalOf(await accept(token, player))).toEqual([409, 'ALREADY_REGISTERED']);
    await db.participant.update({ where: { id: registered }, data: { registrationStatus: 'rejected' } });
    expect(refusalOf(await accept(token, player))).toEqual([409, 'REGISTRATION_REJECTED']);
    await db.participant.update({ where: { id: registered }, data: { registrationStatus: 'approved' } });
    expect((await cancel(player.bearer)).status).toBe(200);
    expect((await accept(token, player)).status).toBe(200);
    const rows = await db.participant.findMany({ where: { tournamentId, userId: player.id } });
    expect(rows.map(({ id }) => id)).toEqual([ids[0]]);
  });

  test('is refused to strangers without an account, and unknown tokens are not found', async () => {
    const { link, ids, accept, path } = await make();
    const { token } = (await link(ids[0])).body;
    expect((await api.post('/claims/accept', { body: { token } })).status).toBe(401);
    expect(refusalOf(await accept('nothing', await makeUser()))).toEqual([404, 'NOT_FOUND']);
    await expect(api.trpc().participants.claims.preview.query({ token: 'nothing' })).rejects.toMatchObject({
      data: { reason: 'NOT_FOUND' },
    });
    const other = await hostTournament(api);
    const elsewhere = `${other.path}/participants/${ids[0]}/claim-link`;
    expect((await api.post(elsewhere, { bearer: other.organizer.bearer })).status).toBe(404);
    const stranger = await makeUser();
    expect((await api.post(`${path}/participants/${ids[0]}/claim-link`, { bearer: stranger.bearer })).status).toBe(403);
  });
});

describe('a participant whose player has left', () => {
  const phone = { key: 'phone', label: 'Phone', type: 'text', required: true, visibility: 'organizers' };
  const answers = { phone: '+49 170 1234567' };

  async function makeLeft() {
    const cup = await make({ customFields: [phone] });
    const player = await makeUser();
    const registered = await cup.register(player.bearer, { customFields: answers });
    expect(registered.status, registered.text).toBe(201);
    const { id } = registered.body;
    expect((await api.post(`${cup.path}/start`, cup.organizer)).status).toBe(200);
    await db.participant.update({ where: { id }, data: { acceptedAt: null } });
    expect((await api.post(`${cup.path}/registrations/me/leave`, player)).status).toBe(200);
    const asStaff = async () => {
      const read = api.trpc(cup.organizer.bearer).participants.read;
      return (await read.query({ tournamentId: cup.id, participantId: id })).customFields;
    };
    const claimBy = async (by: { bearer: string }) => {
      const accepted = await cup.accept((await cup.link(id)).body.token, by);
      expect(accepted.status, accepted.text).toBe(200);
      return accepted.body;
    };
    return { ...cup, player, asStaff, claimBy };
  }

  test('keeps its answers for staff, and whoever else takes it over gets none of them', async () => {
    const { project, asStaff, claimBy, mine } = await makeLeft();
    expect(await asStaff()).toEqual(answers);
    const other = await makeUser();
    expect((await claimBy(other)).customFields).toEqual({});
    expect((await mine(other.bearer)).body.customFields).toEqual({});
    expect(await asStaff()).toEqual({});
    expect((await lastEvent(project.id)).payload).toMatchObject({ changes: ['userId', 'customFields'] });
  });

  test('has them still when its player takes it back', async () => {
    const { project, player, asStaff, claimBy } = await makeLeft();
    expect((await claimBy(player)).customFields).toEqual(answers);
    expect(await asStaff()).toEqual(answers);
    expect((await lastEvent(project.id)).payload).toMatchObject({ changes: ['userId'] });
  });
});

describe('claiming a team', () => {
  const sizes = { teamSize: 2, rosterMin: 2, rosterMax: 3 };
  const roster = [{ name: 'Ada' }, { name: 'Bo' }];

  test('makes the account its captain, beside the players without one', async () => {
    const { link, accept, ids, edit, register, path } = await make(sizes, [
      { name: 'Foxes', roster },
      { name: 'Owls' },
    ]);
    const captain = await makeUser({ name: 'Ada Lovelace' });
    const accepted = await accept((await link(ids[0])).body.token, captain);
    expect(accepted.body.roster).toEqual([
      { userId: captain.id, name: 'Ada Lovelace', role: 'captain' },
      { userId: null, name: 'Bo', role: 'player' },
    ]);
    const mate = await makeUser();
    const members = [rosterMember('captain', captain), rosterMember('player', mate)];
    expect((await edit(captain.bearer, { teamMembers: [rosterMember('captain', captain)] })).body.version).toBe(2);
    const joined = await edit(captain.bearer, { teamMembers: members });
    expect(joined.body.roster.map(({ userId }) => userId)).toEqual([captain.id, null, mate.id]);
    const tooMany = await edit(captain.bearer, {
      teamMembers: [...members, rosterMember('substitute', await makeUser())],
    });
    expect(refusalOf(tooMany)).toEqual([400, 'VALIDATION_FAILED']);
    await api.post(`${path}/registrations/me/accept`, { bearer: mate.bearer });
    expect(refusalOf(await register(mate.bearer, teamOf(mate, [await makeUser()])))).toEqual([
      409,
      'ALREADY_ON_ROSTER',
    ]);
    const owner = await makeUser();
    const owls = await accept((await link(ids[1])).body.token, owner);
    expect(owls.body.roster).toEqual([{ userId: owner.id, name: owner.name, role: 'captain' }]);
  });

  test('is refused for players of another roster', async () => {
    const { link, accept, ids, register, path } = await make(sizes, [{ name: 'Foxes' }, { name: 'Owls' }]);
    const [captain, mate] = [await makeUser(), await makeUser()];
    expect((await register(captain.bearer, teamOf(captain, [mate], 'Bears'))).status).toBe(201);
    await api.post(`${path}/registrations/me/accept`, { bearer: mate.bearer });
    expect(refusalOf(await accept((await link(ids[0])).body.token, mate))).toEqual([409, 'ALREADY_ON_ROSTER']);
  });
});

test('matches that a guest has played count for the account that takes it over, as in a rebuild', async () => {
  const guests = ['Ada', 'Bo', 'Cy', 'Di'].map((name, at) => ({ name, seed: at + 1 }));
  const { link, accept, ids, path, organizer, id, project } = await make({}, guests);
  const { bearer } = organizer;
  expect((await api.post(`${path}/start`, { bearer })).status).toBe(200);
  const [opening] = await db.match.findMany({
    where: { tournamentId: id, status: 'ready' },
    orderBy: { number: 'asc' },
  });
  const winnerId = ids[0];
  const resolved = await api.post(`/matches/${opening?.id}/resolve`, { bearer, body: { winnerId } });
  expect(resolved.status, resolved.text).toBe(200);
  const [ada, bo] = [await makeUser(), await makeUser()];
  const { token } = (await link(ids[0])).body;
  const texts = await statementsOf(async () => {
    expect((await accept(token, ada)).status).toBe(200);
  });
  // The whole draw is read after the end only.
  expect(texts.filter((text) => text.includes('json_agg'))).toEqual([]);
  const statsOf = ({ id: userId }: { id: string }) => db.playerStats.findFirst({ where: { userId } });
  expect(await statsOf(ada)).toMatchObject({ matches: 1, wins: 1, losses: 0, placements: {} });
  await playOut(api, { tournamentId: id, moderator: organizer });
  expect((await accept((await link(ids[1])).body.token, bo)).status).toBe(200);
  const kept = await db.playerStats.findMany({ where: { projectId: project.id }, orderBy: { userId: 'asc' } });
  expect(kept).toMatchObject([
    { userId: ada.id, matches: 2, wins: 2, placements: { [id]: 1 } },
    { userId: bo.id, placements: { [id]: 2 } },
  ]);
  await rebuildStats();
  const rebuilt = await db.playerStats.findMany({ where: { projectId: project.id }, orderBy: { userId: 'asc' } });
  const figures = (rows: typeof kept) => rows.map(({ updatedAt: _, ...row }) => row);
  expect(figures(rebuilt)).toEqual(figures(kept));
  const report = await api.post(`/matches/${opening?.id}/correct`, { bearer: ada.bearer, body: { winnerId } });
  expect(report.status).toBe(403);
});
