import { describe, expect, test } from 'vitest';
import austin from '@/domain/brackets/fixtures/cs2-austin-2025-stage2.json';
import budapest from '@/domain/brackets/fixtures/cs2-budapest-2025-stage1.json';
import cologne from '@/domain/brackets/fixtures/cs2-cologne-2026-stage1.json';
import ncaa from '@/domain/brackets/fixtures/ncaa-2019.json';
import osu from '@/domain/brackets/fixtures/osu-world-cup-2024.json';
import valorant from '@/domain/brackets/fixtures/valorant-champions-2025.json';
import worldCup from '@/domain/brackets/fixtures/worldcup-2022.json';
import { db } from '@/server/db';
import { makeMember, makeProject } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { readBracket } from './matches.fixture';
import type { MatchOutput, StandingsOutput } from './schema';

const api = setupTestServer();

/** A match as it was: who met, the score in their order, and who won where the score does not say it. */
type Real = { names: [string, string]; games?: [number, number][]; winner?: string };
type Where = { stage?: number; bracket?: MatchOutput['bracket']; round?: number };
type Setup = {
  format: string;
  /** Names in the order of seeds. */
  names: string[];
  options?: (idOf: (name: string) => string) => Record<string, unknown>;
};

/** Runs a real event over REST: a draft with guests in the order of seeds, published and started. */
async function stageEvent({ format, names, options }: Setup) {
  const { project } = await makeProject();
  const { bearer } = await makeMember(project.id, 'ORGANIZER');
  await db.game.createMany({ data: [{ id: 'cs2', name: 'Counter-Strike 2' }], skipDuplicates: true });
  const send = async <T>(method: string, path: string, body?: unknown) => {
    const response = await api.call<T>(method, path, { bearer, body });
    expect([200, 201], `${method} ${path}: ${response.text.slice(0, 500)}`).toContain(response.status);
    return response.body;
  };
  const settings = { name: 'Real event', game: 'cs2', format, maxParticipants: names.length };
  const startDate = new Date(Date.now() + 3_600_000).toISOString();
  const { id } = await send<{ id: string }>('POST', `/projects/${project.id}/tournaments`, { ...settings, startDate });
  const path = `/tournaments/${id}`;
  const participants = names.map((name, at) => ({ name, seed: at + 1 }));
  const { items } = await send<{ items: { id: string }[] }>('POST', `${path}/participants`, { participants });
  const ids = new Map(items.map((item, at) => [names[at] ?? '', item.id]));
  const idOf = (name: string) => ids.get(name) ?? '';
  if (options) await send('PATCH', path, { formatOptions: options(idOf) });
  await send('POST', `${path}/publish`);
  await send('POST', `${path}/start`, {});

  /** Decided matches by place in the draw, so that nothing that was drawn is overlooked. */
  const played = new Set<string>();

  /** Expects exactly the real matches to be open at a place of the draw, and decides them as they were. */
  async function playRound(where: Where, real: readonly Real[]): Promise<void> {
    const { stages } = await readBracket(api, id);
    const drawn = stages.flatMap(({ rounds }, at) =>
      rounds.flatMap(({ matches }) =>
        matches.filter(
          ({ status, bracket, round, id: matchId }) =>
            status !== 'pending' &&
            !played.has(matchId) &&
            (where.stage ?? 1) === at + 1 &&
            (where.bracket ?? bracket) === bracket &&
            (where.round ?? round) === round,
        ),
      ),
    );
    const pairs = (lists: (string | null)[][]) => lists.map((list) => list.toSorted().join(' v ')).sort();
    expect(pairs(drawn.map(({ slots }) => slots.map(({ name }) => name)))).toEqual(
      pairs(real.map((match) => [...match.names])),
    );
    for (const { names: pair, games = [], winner } of real) {
      const match = drawn.find(({ slots }) => slots.every(({ name }) => name !== null && pair.includes(name)));
      const isInOrder = match?.slots[0].name === pair[0];
      await send('POST', `/matches/${match?.id}/resolve`, {
        games: games.map(([a, b]) => ({ scores: isInOrder ? [a, b] : [b, a] })),
        ...(winner === undefined ? {} : { winnerId: idOf(winner) }),
      });
      played.add(match?.id ?? '');
    }
  }

  return {
    playRound,
    path,
    send,
    bracket: () => readBracket(api, id),
    standings: () => send<StandingsOutput>('GET', `${path}/standings`),
    /** Expects the tournament to be over, after this many matches. */
    expectOver: async (count: number) => {
      expect((await send<{ status: string }>('GET', path)).status).toBe('COMPLETED');
      expect(played.size).toBe(count);
    },
  };
}

const byName = (teams: readonly { seed: number; name: string }[]) =>
  teams.toSorted((a, b) => a.seed - b.seed).map(({ name }) => name);
/** The games of a score that counts them, the loser's first. */
function gamesOf([a = 0, b = 0]: readonly number[]): [number, number][] {
  const wonBy = (count: number, game: [number, number]) => Array.from({ length: count }, () => game);
  return a > b ? [...wonBy(b, [0, 1]), ...wonBy(a, [1, 0])] : [...wonBy(a, [1, 0]), ...wonBy(b, [0, 1])];
}
/** Consecutive matches of the same round. */
function byRound<Match extends { round: string }>(matches: readonly Match[]): { round: string; matches: Match[] }[] {
  const rounds: { round: string; matches: Match[] }[] = [];
  for (const match of matches) {
    const last = rounds.at(-1);
    if (last?.round === match.round) last.matches.push(match);
    else rounds.push({ round: match.round, matches: [match] });
  }
  return rounds;
}
const sideOf: Record<string, MatchOutput['bracket']> = { W: 'winners', L: 'losers', G: 'final' };
const placeOf = (round: string) => ({ bracket: sideOf[round[0] ?? ''], round: Number(/\d+/.exec(round)?.[0]) });
/** `5-6: [7, 8]` as ranks by name. */
const ranksOf = (places: Record<string, readonly number[]>, names: readonly string[]) =>
  Object.entries(places)
    .flatMap(([range, seeds]) => seeds.map((seed) => `${range.split('-')[0]} ${names[seed - 1]}`))
    .sort();
const finalRanks = ({ final }: StandingsOutput) => final.map(({ rank, name }) => `${rank} ${name}`).sort();

describe('Counter-Strike majors', () => {
  const stages: [string, { teams: typeof austin.teams; rounds: typeof austin.rounds }][] = [
    ['Austin 2025, stage 2', austin],
    ['Budapest 2025, stage 1', budapest],
    ['Cologne 2026, stage 1', cologne],
  ];
  test.each(stages)('%s', async (_, { teams, rounds }) => {
    const names = byName(teams);
    const nameOf = (seed: number) => names[seed - 1] ?? '';
    const options = () => ({ winsToAdvance: 3, lossesToEliminate: 3 });
    const event = await stageEvent({ format: 'swiss', names, options });
    for (const [at, round] of rounds.entries()) {
      const real = round.map(({ seeds: [a = 0, b = 0], winner }): Real => {
        return { names: [nameOf(a), nameOf(b)], winner: nameOf(winner) };
      });
      await event.playRound({ round: at + 1 }, real);
    }
    await event.expectOver(33);
    const rows = (await event.standings()).stages[0]?.groups[0]?.rows ?? [];
    const real = [austin, cologne].find((major) => major.rounds === rounds)?.standings;
    if (real) {
      expect(
        rows.map(({ rank, seed, wins, losses, tiebreakers }) => {
          return { rank, seed, wins, losses, difficulty: tiebreakers.difficulty };
        }),
      ).toEqual(real);
    } else {
      const advanced = rows.filter(({ outcome }) => outcome === 'advanced').map(({ name }) => name);
      expect(advanced.sort()).toEqual(budapest.qualified.toSorted());
    }
  });
});

test('osu! World Cup 2024, all 62 matches of the double elimination', async () => {
  const names = byName(osu.teams);
  const bestOfOverrides = [
    { bracket: 'winners', bestOf: 11 },
    { bracket: 'losers', bestOf: 11 },
    { bracket: 'winners', round: 1, bestOf: 9 },
    { bracket: 'winners', round: 2, bestOf: 9 },
    { bracket: 'losers', round: 1, bestOf: 9 },
    { bracket: 'winners', roundsFromEnd: 1, bestOf: 13 },
    { bracket: 'losers', roundsFromEnd: 1, bestOf: 13 },
    { bracket: 'losers', roundsFromEnd: 2, bestOf: 13 },
    { bracket: 'losers', roundsFromEnd: 3, bestOf: 13 },
  ];
  const options = () => ({ bestOf: 13, bestOfOverrides });
  const event = await stageEvent({ format: 'double_elimination', names, options });
  for (const { round, matches } of byRound(osu.matches)) {
    const real = matches.map(({ seeds: [a = 0, b = 0], score }): Real => {
      return { names: [names[a - 1] ?? '', names[b - 1] ?? ''], games: gamesOf(score) };
    });
    await event.playRound(placeOf(round), real);
  }
  await event.expectOver(62);
  expect(finalRanks(await event.standings())).toEqual(ranksOf(osu.places, names));
}, 60_000);

test('VALORANT Champions 2025, four GSL groups and the double elimination of eight', async () => {
  const groups = valorant.stages.slice(0, 4);
  const playoffs = valorant.stages[4];
  if (!playoffs) throw new Error('no playoffs');
  type Stage = typeof playoffs;
  const nameOf = ({ teams }: Pick<Stage, 'teams'>, seed: number | undefined) =>
    teams.find((team) => team.seed === seed)?.name ?? '';
  const event = await stageEvent({
    format: 'groups_to_knockout',
    names: [1, 2, 3, 4].flatMap((seed) => groups.map((group) => nameOf(group, seed))),
    options: (idOf) => ({
      ...{ groups: 4, groupFormat: 'gsl', knockoutFormat: 'double_elimination', grandFinalReset: false, bestOf: 3 },
      bestOfOverrides: [
        { bracket: 'losers', roundsFromEnd: 1, bestOf: 5 },
        { bracket: 'final', bestOf: 5 },
      ],
      groupAssignments: groups.flatMap(({ teams }, at) =>
        teams.map(({ name }) => ({ participantId: idOf(name), group: at + 1 })),
      ),
    }),
  });
  const realOf = (stage: Pick<Stage, 'teams'>, { seeds, score }: { seeds: number[]; score: number[] }): Real => ({
    names: [nameOf(stage, seeds[0]), nameOf(stage, seeds[1])],
    games: gamesOf(score),
  });
  for (const { round } of byRound(groups[0]?.matches ?? [])) {
    const real = groups.flatMap((group) =>
      group.matches.filter((match) => match.round === round).map((match) => realOf(group, match)),
    );
    await event.playRound(placeOf(round), real);
  }
  const tables = (await event.standings()).stages[0]?.groups.map(({ rows }) =>
    rows.filter(({ outcome }) => outcome === 'advanced').map(({ name }) => name),
  );
  expect(tables).toEqual(groups.map((group) => group.advanced?.map((seed) => nameOf(group, seed))));
  const [, knockout] = (await event.bracket()).stages;
  const standings = await event.standings();
  const idOf = new Map(
    standings.stages[0]?.groups.flatMap(({ rows }) => rows.map((row) => [row.name, row.participantId])),
  );
  const order = byName(playoffs.teams).map((name) => idOf.get(name));
  await event.send('PUT', `${event.path}/stages/${knockout?.id}/seeding`, { order });
  for (const { round, matches } of byRound(playoffs.matches)) {
    await event.playRound(
      { stage: 2, ...placeOf(round) },
      matches.map((match) => realOf(playoffs, match)),
    );
  }
  await event.expectOver(34);
  const final = finalRanks({ ...standings, final: (await event.standings()).final.slice(0, 8) });
  expect(final).toEqual(ranksOf(playoffs.places ?? {}, byName(playoffs.teams)));
}, 60_000);

test('NCAA 2019, all 63 matches of a single elimination of 64', async () => {
  const names = byName(ncaa.teams);
  const event = await stageEvent({ format: 'single_elimination', names });
  for (const { round, matches } of byRound(ncaa.matches)) {
    const number = Number(round.slice(1));
    const real = matches.map(({ seeds: [a = 0, b = 0], score: [x = 0, y = 0] }): Real => {
      return { names: [names[a - 1] ?? '', names[b - 1] ?? ''], games: [[x, y]] };
    });
    await event.playRound(number === 6 ? { bracket: 'final' } : { bracket: 'winners', round: number }, real);
  }
  await event.expectOver(63);
  const { final } = await event.standings();
  expect(final[0]).toMatchObject({ rank: 1, seed: ncaa.champion });
  expect(final.map(({ rank }) => rank)).toEqual([
    ...[1, 2, ...Array(2).fill(3), ...Array(4).fill(5), ...Array(8).fill(9)],
    ...[...Array(16).fill(17), ...Array(32).fill(33)],
  ]);
}, 60_000);

test('World Cup 2022, eight groups, the knockout with shoot-outs and the match for third place', async () => {
  const groupMatches = worldCup.matches.filter(({ group }) => group !== undefined);
  const knockout = worldCup.matches.filter(({ group }) => group === undefined);
  const names = [...new Set(groupMatches.flatMap(({ teams }) => teams))];
  const groupOf = (team: string) =>
    (groupMatches.find(({ teams }) => teams.includes(team))?.group?.at(-1) ?? '').charCodeAt(0) - 64;
  const event = await stageEvent({
    format: 'groups_to_knockout',
    names,
    options: (idOf) => ({
      ...{ groups: 8, thirdPlace: true },
      groupAssignments: names.map((team) => ({ participantId: idOf(team), group: groupOf(team) })),
    }),
  });
  const realOf = ({ teams, score, extraTime, penalties }: (typeof worldCup.matches)[number]): Real => {
    const [one = '', other = ''] = teams;
    const [a = 0, b = 0] = extraTime ?? score;
    const [p = 0, q = 0] = penalties ?? [];
    return { names: [one, other], games: [[a, b]], ...(p === q ? {} : { winner: p > q ? one : other }) };
  };
  await event.playRound({ stage: 1 }, groupMatches.map(realOf));
  const tables = (await event.standings()).stages[0]?.groups ?? [];
  expect(tables.map(({ rows }) => rows.map(({ name, points }) => `${name} ${points}`).join(', '))).toEqual([
    'Netherlands 7, Senegal 6, Ecuador 4, Qatar 0',
    'England 7, USA 5, Iran 3, Wales 1',
    'Argentina 6, Poland 4, Mexico 4, Saudi Arabia 3',
    'France 6, Australia 6, Tunisia 4, Denmark 1',
    'Japan 6, Spain 4, Germany 4, Costa Rica 3',
    'Morocco 7, Croatia 5, Belgium 4, Canada 0',
    'Brazil 6, Switzerland 6, Cameroon 4, Serbia 1',
    'Portugal 6, South Korea 4, Uruguay 4, Ghana 3',
  ]);
  for (const [at, { round, matches }] of byRound(knockout).entries()) {
    const where: Where =
      round === 'Final'
        ? { bracket: 'final' }
        : round === 'Match for third place'
          ? { bracket: 'losers' }
          : { bracket: 'winners', round: at + 1 };
    await event.playRound({ stage: 2, ...where }, matches.map(realOf));
  }
  await event.expectOver(64);
  const { final } = await event.standings();
  expect(final.slice(0, 4).map(({ rank, name }) => `${rank} ${name}`)).toEqual([
    '1 Argentina',
    '2 France',
    '3 Croatia',
    '4 Morocco',
  ]);
}, 60_000);
