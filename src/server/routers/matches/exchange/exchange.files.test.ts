import { beforeAll, describe, expect, test } from 'vitest';
import mtgo from '@/domain/brackets/fixtures/mtgo-swiss-160.json';
import ncaa from '@/domain/brackets/fixtures/ncaa-2019.json';
import { db } from '@/server/db';
import { readMatches } from '@/server/routers/matches/matches.fixture';
import type { StandingsOutput } from '@/server/routers/matches/schema';
import type { TournamentDetail } from '@/server/routers/tournaments/schema';
import { makeMember, makeProject } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();
let host: { projectId: string; bearer: string };
beforeAll(async () => {
  const { project } = await makeProject();
  await db.game.createMany({ data: [{ id: 'cs2', name: 'Counter-Strike 2' }], skipDuplicates: true });
  host = { projectId: project.id, bearer: (await makeMember(project.id, 'ORGANIZER')).bearer };
});

type Refused = { message?: string; error?: { issues?: { path: string; message: string }[] } };
const importFile = (body: unknown) =>
  api.post<TournamentDetail & Refused>(`/projects/${host.projectId}/tournaments/import`, { bearer: host.bearer, body });
const startDate = '2031-05-17T18:00:00.000Z';

describe('events whose brackets are not ours', () => {
  test('NCAA 2019: the tree of regions with its play-ins, all 67 results', async () => {
    const codes = [
      ...ncaa.teams.map(({ code }) => code).filter((code) => !ncaa.playIns.some(({ slot }) => slot === code)),
      ...ncaa.playIns.flatMap(({ codes: pair }) => pair),
    ];
    const keys: string[] = [];
    const slots: [string, string, string][] = [];
    // The source lists regions; in a file a match comes after those that feed it.
    while (slots.length < ncaa.slots.length) {
      for (const [key = '', one = '', other = ''] of ncaa.slots) {
        const isReady = [one, other].every((name) => codes.includes(name) || keys.includes(name));
        if (keys.includes(key) || !isReady) continue;
        keys.push(key);
        slots.push([key, one, other]);
      }
    }
    const sourceOf = (name: string) =>
      codes.includes(name)
        ? { type: 'seed', seed: codes.indexOf(name) + 1 }
        : { type: 'winner', match: keys.indexOf(name) + 1 };
    const playInOf = (seed: number | undefined) => ncaa.playIns.find((one) => one.seed === seed)?.winner;
    const codeOf = (seed: number | undefined) =>
      playInOf(seed) ?? ncaa.teams.find((team) => team.seed === seed)?.code ?? '';
    const results = new Map<string, readonly [string, number][]>();
    const put = (one: string, other: string, [a = 0, b = 0]: readonly number[]) =>
      results.set([one, other].sort().join(), [
        [one, a],
        [other, b],
      ]);
    for (const { codes: pair, score } of ncaa.playIns) put(pair[0] ?? '', pair[1] ?? '', score);
    for (const { seeds, score } of ncaa.matches) put(codeOf(seeds[0]), codeOf(seeds[1]), score);
    const winners = new Map<string, string>();
    const rounds = new Map<string, number>();
    const matches = slots.map(([key, one, other], at) => {
      const names = [winners.get(one) ?? one, winners.get(other) ?? other];
      const scored = results.get([...names].sort().join()) ?? [];
      const scores = names.map((name) => scored.find(([code]) => code === name)?.[1] ?? 0);
      winners.set(key, names[(scores[0] ?? 0) > (scores[1] ?? 0) ? 0 : 1] ?? '');
      const round = 1 + Math.max(rounds.get(one) ?? 0, rounds.get(other) ?? 0);
      rounds.set(key, round);
      const isFinal = at === slots.length - 1;
      const place = isFinal ? { bracket: 'final', round: 1 } : { bracket: 'winners', round };
      const sources = [sourceOf(one), sourceOf(other)];
      return { number: at + 1, ...place, participants: names, sources, games: [{ scores }] };
    });
    const answer = await importFile({
      format: 'laurel',
      version: 1,
      tournament: { name: 'NCAA 2019', game: 'cs2', maxParticipants: 68, startDate },
      participants: codes.map((id) => ({ id, name: ncaa.teams.find(({ code }) => code === id)?.name ?? id })),
      bracket: { randomSeed: 'ncaa', participants: codes, stages: [{ number: 1, type: 'custom' }], matches },
    });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body.status).toBe('COMPLETED');
    const { final } = (await api.get<StandingsOutput>(`/tournaments/${answer.body.id}/standings`)).body;
    expect(final[0]).toMatchObject({ rank: 1, seed: codes.indexOf('Z01') + 1 });
    expect(final).toHaveLength(68);
    expect(await readMatches(api, answer.body.id)).toHaveLength(67);
    const redraw = await api.post(`/tournaments/${answer.body.id}/draw`, { bearer: host.bearer });
    expect(redraw.reason).toBe('INVALID_STATE');
  });

  test('a Magic Online Swiss of 160 with its own pairings, byes and drops', async () => {
    const id = (player: number) => `p${player}`;
    const matches = mtgo.rounds.flatMap((round, at) => {
      const sorted = [...round].sort((a, b) => Number(a[1] === null) - Number(b[1] === null));
      return sorted.map(([one, other, won = 0, lost = 0, drawn = 0]) => {
        const participants = [id(one ?? 0), typeof other === 'number' ? id(other) : null];
        const games = [
          ...Array.from({ length: won ?? 0 }, () => ({ winner: participants[0] })),
          ...Array.from({ length: lost ?? 0 }, () => ({ winner: participants[1] })),
          ...Array.from({ length: drawn ?? 0 }, () => ({ winner: null })),
        ];
        const result = other === null ? { decidedBy: 'bye' } : { games };
        return { bracket: 'group', round: at + 1, participants, ...result };
      });
    });
    const players = Array.from({ length: mtgo.players }, (_, player) => id(player));
    const tiebreakers = [
      'points',
      'rounds_played',
      'opponent_match_win_percentage',
      'game_win_percentage',
      'opponent_game_win_percentage',
    ];
    const started = performance.now();
    const answer = await importFile({
      format: 'laurel',
      version: 1,
      tournament: {
        ...{ name: 'ManaTraders', game: 'cs2', maxParticipants: 160, startDate, format: 'swiss' },
        formatOptions: { bestOf: 3, rounds: 8, tiebreakers },
      },
      participants: players.map((player) => ({ id: player, name: `Player ${player}` })),
      bracket: {
        randomSeed: 'mtgo',
        participants: players,
        stages: [{ number: 1, type: 'swiss' }],
        matches: matches.map((match, at) => ({ number: at + 1, ...match })),
      },
    });
    expect(answer.status, answer.text).toBe(201);
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(answer.body.status).toBe('COMPLETED');
    const { stages } = (await api.get<StandingsOutput>(`/tournaments/${answer.body.id}/standings`)).body;
    const rows = stages[0]?.groups[0]?.rows ?? [];
    const shown = (share: number | null | undefined) => Number((100 * (share ?? Number.NaN)).toFixed(1));
    expect(
      rows.map(({ name, points, played, tiebreakers: of }) => [
        name,
        points,
        played,
        shown(of.opponent_match_win_percentage),
        shown(of.game_win_percentage),
        shown(of.opponent_game_win_percentage),
      ]),
    ).toEqual(
      mtgo.standings.map(({ player, points, played, omwp, gwp, ogwp }) => [
        `Player ${id(player)}`,
        points,
        played,
        shown(omwp),
        shown(gwp),
        shown(ogwp),
      ]),
    );
  });
});

/** A cup of four in which the first semifinal is played. */
function fileOf(change: (file: ReturnType<typeof base>) => void = () => undefined) {
  const file = base();
  change(file);
  return file;
}
function base() {
  return {
    format: 'laurel',
    version: 1,
    tournament: {
      name: 'Hostile Cup',
      game: 'cs2',
      maxParticipants: 4,
      startDate,
      formatOptions: { bestOf: 3 } as object,
    },
    participants: [1, 2, 3, 4].map((at): Record<string, unknown> => ({ id: `p${at}`, name: `Player ${at}` })),
    bracket: {
      randomSeed: 'x',
      participants: ['p1', 'p2', 'p3', 'p4'],
      stages: [{ number: 1, type: 'single_elimination', groups: [] as object[] }],
      departures: [] as object[],
      matches: [
        { number: 1, bracket: 'winners', round: 1, participants: ['p1', 'p4'], score: [2, 0] },
        { number: 2, bracket: 'winners', round: 1, participants: ['p2', 'p3'] },
        { number: 3, bracket: 'final', round: 1, participants: ['p1', null] },
      ] as Record<string, unknown>[],
    },
  };
}
type File = ReturnType<typeof base>;
const match = (file: File, at: number) => file.bracket.matches[at] ?? {};

describe('a file that contradicts itself', () => {
  const hostile: [string, (file: File) => void, RegExp][] = [
    [
      'a score that its best-of cannot end with',
      (f) => Object.assign(match(f, 0), { score: [3, 0] }),
      /Match 1: A best of 3/,
    ],
    ['a winner who lost', (f) => Object.assign(match(f, 0), { winner: 'p4' }), /Match 1: The winner does not fit/],
    [
      'a winner from elsewhere',
      (f) => Object.assign(match(f, 0), { score: undefined, winner: 'p2' }),
      /Match 1: The winner is not/,
    ],
    [
      'participants who do not meet',
      (f) => Object.assign(match(f, 0), { participants: ['p1', 'p2'] }),
      /Match 1 .*do not meet/,
    ],
    [
      'a final before its semifinals',
      (f) => Object.assign(match(f, 2), { participants: ['p1', 'p3'], score: [2, 1] }),
      /Match 3 .*do not meet/,
    ],
    ['somebody unknown', (f) => Object.assign(match(f, 1), { participants: ['p2', 'p9'] }), /“p9” is not among/],
    ['a gap in the numbers', (f) => Object.assign(match(f, 2), { number: 7 }), /numbered from 1/],
    [
      'a match that is not drawn',
      (f) => f.bracket.matches.push({ number: 4, bracket: 'final', round: 2 }),
      /no match 4/,
    ],
    [
      'stages of another format',
      (f) => Object.assign(f.bracket.stages[0] ?? {}, { type: 'swiss' }),
      /stages are not those/,
    ],
    ['a seed twice', (f) => f.bracket.participants.push('p1'), /seeded twice/],
    ['an id twice', (f) => Object.assign(f.participants[1] ?? {}, { id: 'p1' }), /“p1” is used twice/],
    [
      'a departure of a stranger',
      (f) => f.bracket.departures.push({ participant: 'p9', type: 'withdrawn', stage: 1, round: 0 }),
      /p9/,
    ],
    [
      'a departure in no stage',
      (f) => f.bracket.departures.push({ participant: 'p2', type: 'withdrawn', stage: 2, round: 0 }),
      /stage that is not there/,
    ],
    [
      'somebody active who is not in the bracket',
      (f) => f.participants.push({ id: 'p5', name: 'Five', status: 'active' }),
      /Five is active/,
    ],
    [
      'more participants than slots',
      (f) => Object.assign(f.tournament, { maxParticipants: 3 }),
      /more than maxParticipants/,
    ],
    [
      'a name that hides',
      (f) => Object.assign(f.participants[0] ?? {}, { name: '\u202Eevil' }),
      /characters|Some fields/,
    ],
    [
      'a stage whose name hides',
      (f) => Object.assign(f.bracket.stages[0] ?? {}, { name: 'Final\r\nATTENDEE:\u202Eevil' }),
      /characters|Some fields/,
    ],
    [
      "a time zone of ICU's own",
      (f) => Object.assign(f.tournament, { timezone: 'AET' }),
      /IANA time zone, like Europe\/Berlin/,
    ],
    ['no such game', (f) => Object.assign(f.tournament, { game: 'none' }), /There is no game none|Some fields/],
    ['another version', (f) => Object.assign(f, { version: 2 }), /later version|Some fields/],
    [
      'options of another format',
      (f) => Object.assign(f.tournament, { formatOptions: { legs: 2 } }),
      /no such option|Some fields/,
    ],
    [
      'a tree in a circle',
      (f) => {
        Object.assign(f.bracket.stages[0] ?? {}, { type: 'custom' });
        f.bracket.matches = [1, 2].map((number) => ({
          ...{ number, bracket: 'winners', round: 1 },
          sources: [
            { type: 'winner', match: 3 - number },
            { type: 'seed', seed: number },
          ],
        }));
      },
      /must come after/,
    ],
  ];

  test.each(hostile)('is refused: %s', async (_name, change, sentence) => {
    const before = await db.tournament.count({ where: { projectId: host.projectId } });
    const answer = await importFile(fileOf(change));
    expect([answer.status, answer.reason]).toEqual([400, 'VALIDATION_FAILED']);
    const said = [answer.body.message, ...(answer.body.error?.issues ?? []).map(({ message }) => message)].join(' ');
    expect(said).toMatch(sentence);
    expect(await db.tournament.count({ where: { projectId: host.projectId } })).toBe(before);
  });

  test('is refused where a roster is larger than its own tournament allows', async () => {
    const [three, four] = [3, 4].map((size) => Array.from({ length: size }, (_, at) => ({ name: `Player ${at}` })));
    const teams = { maxParticipants: 4, teamSize: 2, rosterMin: 2, rosterMax: 3 };
    const send = (roster: unknown) =>
      importFile(
        fileOf((file) => {
          Object.assign(file.tournament, teams);
          Object.assign(file.participants[1] ?? {}, { roster });
        }),
      );
    const refused = await send(four);
    expect([refused.status, refused.reason]).toEqual([400, 'VALIDATION_FAILED']);
    expect(refused.body.error?.issues).toEqual([
      { path: 'participants.1.roster', message: 'A roster has at most 3 players; this one has 4.' },
    ]);
    expect((await send(three)).status).toBe(201);
  });

  test('is accepted without the contradiction', async () => {
    const answer = await importFile(fileOf());
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body).toMatchObject({ status: 'IN_PROGRESS', currentParticipants: 4 });
    expect((await importFile(fileOf())).body.slug).not.toBe(answer.body.slug);
  });

  test('of 1,024 in a Swiss of ten rounds is read within seconds', async () => {
    const ids = Array.from({ length: 1024 }, (_, at) => `p${at + 1}`);
    const matches = Array.from({ length: 10 }, (_, round) =>
      ids.slice(0, 512).map((id, at) => ({
        ...{ bracket: 'group', round: round + 1, participants: [id, ids[512 + ((at + round) % 512)]] },
        score: [1, 0],
      })),
    ).flat();
    const started = performance.now();
    const answer = await importFile({
      ...{ format: 'laurel', version: 1 },
      tournament: {
        name: 'Large',
        game: 'cs2',
        maxParticipants: 1024,
        startDate,
        format: 'swiss',
        formatOptions: { rounds: 11 },
      },
      participants: ids.map((id) => ({ id, name: id })),
      bracket: {
        ...{ randomSeed: 'x', participants: ids, stages: [{ number: 1, type: 'swiss' }] },
        matches: matches.map((one, at) => ({ number: at + 1, ...one })),
      },
    });
    expect(answer.status, answer.text.slice(0, 500)).toBe(201);
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
