import { describe, expect, test } from 'vitest';
import { db } from '@/server/db';
import { makeTeam, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { hostTournament, refusalOf, rosterOf, teamOf } from '@/test/tournaments';

const api = setupTestServer();

/** A team that names one player who has accepted and two who have not, and a captain who wants them. */
async function hostSquatters(out: 'reject' | 'disqualify') {
  const sizes = { teamSize: 2, rosterMin: 2, rosterMax: 4 };
  const cup = await hostTournament(api, { ...sizes, requiresApproval: out === 'reject' });
  const [squatter, agreed, first] = [await makeUser(), await makeUser(), await makeUser()];
  const [second, captain, rival] = [await makeUser(), await makeUser(), await makeUser()];
  const { body } = await cup.register(squatter.bearer, teamOf(squatter, [agreed, first, second], 'Squatters'));
  const participantId = body.id;
  expect((await api.post(`${cup.path}/registrations/me/accept`, agreed)).status).toBe(200);
  const desk = api.trpc(cup.owner.bearer).participants;
  const act = async (action: 'reject' | 'disqualify' | 'reconsider' | 'reinstate') => {
    const input = { tournamentId: cup.id, participantIds: [participantId], reason: 'Names everybody' };
    expect(await desk.bulk.mutate({ ...input, action })).toEqual({ done: [participantId], refused: [] });
  };
  const players = async () => {
    const rows = await db.rosterMember.findMany({ where: { participantId }, orderBy: { id: 'asc' } });
    return rows.map(({ userId }) => userId);
  };
  return { ...cup, participantId, squatter, agreed, first, second, captain, rival, act, players };
}

describe.each([
  { out: 'reject', back: 'reconsider' },
  { out: 'disqualify', back: 'reinstate' },
] as const)('a team that is out ($out)', ({ out, back }) => {
  test('keeps no player who has not accepted from other captains', async () => {
    const { participantId, squatter, agreed, first, second, captain, act, players, ...cup } = await hostSquatters(out);
    const { register, edit, mine } = cup;
    const taken = [409, 'ALREADY_ON_ROSTER'];
    expect(refusalOf(await register(captain.bearer, teamOf(captain, [first], 'Owls')))).toEqual(taken);
    await act(out);
    for (const stays of [agreed, squatter]) {
      expect(refusalOf(await register(captain.bearer, teamOf(captain, [stays], 'Owls')))).toEqual(taken);
    }
    expect(await players()).toEqual([squatter.id, agreed.id, first.id, second.id]);

    const registered = await register(captain.bearer, teamOf(captain, [first], 'Owls'));
    expect(registered.status, registered.text).toBe(201);
    expect((await mine(first.bearer)).body).toMatchObject({ name: 'Owls', mustAccept: true });
    expect(await players()).toEqual([squatter.id, agreed.id, second.id]);
    const edited = await edit(captain.bearer, teamOf(captain, [first, second], 'Owls'));
    expect(edited.status, edited.text).toBe(200);
    expect(rosterOf(edited.body)).toContainEqual([second.id, 'player']);
    expect(await players()).toEqual([squatter.id, agreed.id]);
    const events = await db.domainEvent.findMany({
      where: { aggregateId: participantId, type: 'participant.updated' },
      orderBy: { sequence: 'desc' },
      take: 2,
    });
    const left = { payload: { changes: ['roster'] }, metadata: { actor: { id: captain.id } } };
    expect(events).toMatchObject([left, left]);
  });

  test('loses a player to only one of two captains who name them at once', async () => {
    const { id, first, captain, rival, register, act, players } = await hostSquatters(out);
    await act(out);
    const both = [captain, rival].map((one) => register(one.bearer, teamOf(one, [first], `Team of ${one.id}`)));
    expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(await db.rosterMember.count({ where: { tournamentId: id, userId: first.id } })).toBe(1);
    expect(await players()).not.toContain(first.id);
  });

  test('comes back with the players whom nobody has taken', async () => {
    const { squatter, agreed, first, second, captain, rival, register, act, players } = await hostSquatters(out);
    await act(out);
    expect((await register(captain.bearer, teamOf(captain, [first], 'Owls'))).status).toBe(201);
    await act(back);
    expect(await players()).toEqual([squatter.id, agreed.id, second.id]);
    const refused = await register(rival.bearer, teamOf(rival, [second], 'Foxes'));
    expect(refusalOf(refused)).toEqual([409, 'ALREADY_ON_ROSTER']);
  });
});

test('the refusal says which players are taken, and what to do about those who have not accepted the other roster', async () => {
  const { squatter, agreed, first, second, captain, register, edit } = await hostSquatters('reject');
  const answers = [
    await register(captain.bearer, teamOf(captain, [agreed, first, second], 'Owls')),
    await register(captain.bearer, teamOf(captain, [first], 'Owls')),
    await register(captain.bearer, teamOf(captain, [squatter], 'Owls')),
  ];
  expect((await register(captain.bearer, teamOf(captain, [await makeUser()], 'Owls'))).status).toBe(201);
  answers.push(await edit(captain.bearer, teamOf(captain, [second], 'Owls')));
  const taken = ({ name }: { name: string }) =>
    `Already on a roster of this tournament: ${name}. Choose another player.`;
  const named = (...players: { name: string }[]) =>
    `Named on another roster, and not accepted yet: ${players.map(({ name }) => name).join(', ')}. Once they leave it, or join a team that you lead, you can name them.`;
  for (const answer of answers) expect(refusalOf(answer)).toEqual([409, 'ALREADY_ON_ROSTER']);
  expect(answers.map(({ body }) => body.message)).toEqual([
    `${taken(agreed)} ${named(first, second)}`,
    named(first),
    taken(squatter),
    named(second),
  ]);
  await makeTeam(captain, [second]);
  expect((await edit(captain.bearer, teamOf(captain, [second], 'Owls'))).status).toBe(200);
});
