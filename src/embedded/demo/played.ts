import { hour, minute } from '@/domain/time/durations';
import { db } from '@/server/db';
import { Refusal } from '@/server/errors';
import type { DemoTournament } from './content';
import { as, type Cast, type Person } from './people';
import { seedTournament, spreadMatches, spreadRegistrations } from './tournaments';

const day = 24 * hour;
const numbers = (first: number, count: number) => Array.from({ length: count }, (_, at) => ({ player: first + at }));

/** Any time ahead: both are started by hand, and their start is moved back afterwards. */
const soon = () => new Date(Math.ceil((Date.now() + hour) / hour) * hour).toISOString();

const finished = (): DemoTournament => ({
  settings: {
    name: 'Old Mill Blitz',
    slug: 'old-mill-blitz',
    game: 'chess',
    format: 'groups_to_knockout',
    maxParticipants: 8,
    startDate: soon(),
    timezone: 'Europe/Vienna',
    formatOptions: { groups: 2, advancePerGroup: 2, thirdPlace: true },
    description: 'Five minutes a side in the old mill: two groups of four, then semifinals and a final.',
    rules: '- Touch move.\n- A draw in the knockout is settled by a game of three minutes.',
  },
  publishedDaysAgo: 24,
  participants: numbers(25, 8),
});

const editionName = 'Versus Night';

const edition = (number: number): DemoTournament => ({
  settings: {
    name: `${editionName} #${number}`,
    slug: `versus-night-${number}`,
    game: 'tekken8',
    format: 'double_elimination',
    maxParticipants: 16,
    startDate: soon(),
    timezone: 'Europe/Lisbon',
    // Silence confirms soon, so that a visitor sees results come in.
    autoConfirmMinutes: 3,
    formatOptions: { bestOf: 3, grandFinalReset: true },
    description: 'Sixteen players, double elimination, two setups and a stream. **It is being played right now.**',
    rules: '- Best of three, random stage.\n- The winner keeps the character, the loser may change.',
  },
  publishedDaysAgo: 5,
  participants: numbers(17, 16),
});

type OpenMatch = Awaited<ReturnType<ReturnType<typeof as>['matches']['list']>>['items'][number];

/** Mostly the better seed wins. The loser takes the first game of every second match. */
function scoresOf({ number, bestOf, slots: [a, b] }: OpenMatch): { scores: [number, number] }[] {
  const firstIsBetter = (a.seed ?? 0) < (b.seed ?? 0);
  const firstWins = number % 4 === 3 ? !firstIsBetter : firstIsBetter;
  const game = (first: boolean): { scores: [number, number] } => {
    if (bestOf === 1) return { scores: first ? [1, 0] : [0, 1] };
    return { scores: first ? [3, 1] : [2, 3] };
  };
  const wins = Array.from({ length: Math.ceil(bestOf / 2) }, () => game(firstWins));
  return bestOf > 1 && number % 2 === 0 ? [game(!firstWins), ...wins] : wins;
}

/** The finished tournament, played to its champion. */
async function seedFinished(projectId: string, cast: Cast) {
  const { id: tournamentId } = await seedTournament(projectId, finished(), cast);
  const { matches } = as(cast.moderator);
  await as(cast.organizer).matches.start({ tournamentId });
  for (;;) {
    const { items } = await matches.list({ tournamentId, status: 'ready', limit: 100 });
    if (items.length === 0) break;
    for (const match of items) await matches.resolve({ matchId: match.id, games: scoresOf(match) });
  }
  const started = Date.now() - 9 * day - 5 * hour;
  await spreadRegistrations(tournamentId, started - 15 * day, started - hour);
  await spreadMatches(tournamentId, started, 9 * minute);
  return as(cast.organizer).tournaments.get({ tournamentId });
}

async function seedEdition(projectId: string, cast: Cast, number: number) {
  const { id: tournamentId } = await seedTournament(projectId, edition(number), cast);
  const organizer = as(cast.organizer);
  const { stations } = organizer.matches;
  await stations.create({ tournamentId, name: 'Setup A', autoAssign: true });
  await stations.create({ tournamentId, name: 'Setup B', autoAssign: true });
  await organizer.matches.start({ tournamentId });
  await playOn(tournamentId, cast.moderator, 6);
  const each = 7 * minute;
  const started = Date.now() - 7 * each;
  await spreadRegistrations(tournamentId, started - 5 * day, started - hour);
  await spreadMatches(tournamentId, started, each);
  return organizer.tournaments.get({ tournamentId });
}

/** The tournaments of the demo that have started: a finished one, and one that is being played. */
export async function seedPlayed(projectId: string, cast: Cast) {
  return [await seedFinished(projectId, cast), await seedEdition(projectId, cast, 1)];
}

/** The accounts that play in a tournament, by participant. */
async function playersOf(tournamentId: string): Promise<Map<string, Person>> {
  const rows = await db.participant.findMany({
    where: { tournamentId, user: { email: { endsWith: '@demo.test' } } },
    select: { id: true, user: { select: { id: true, email: true } } },
  });
  return new Map(rows.flatMap(({ id, user }) => (user ? [[id, user]] : [])));
}

/**
 * Lets a running tournament go on by up to `results` results: what was reported is confirmed, then the next matches are
 * played. Afterwards one match waits for its confirmation, which silence gives, and one is being played. Matches that
 * someone disputed or that an account of a visitor plays are left to them.
 */
async function playOn(tournamentId: string, moderator: Person, results: number): Promise<void> {
  const people = await playersOf(tournamentId);
  const { list, begin } = as(moderator).matches;
  for (let left = results; ; left -= 1) {
    const { items } = await list({ tournamentId, limit: 100 });
    const within = (status: OpenMatch['status']) => items.filter((match) => match.status === status);
    const open = [...within('in_progress'), ...within('ready')].flatMap((match) => {
      const [one, other] = match.slots.map(({ participantId }) => people.get(participantId ?? ''));
      return one && other ? [{ match, one, other }] : [];
    });
    const [next, second] = left > 0 ? open : open.filter(({ match }) => match.status === 'ready');
    if (!next) return;
    const matchId = next.match.id;
    const { report } = next.match;
    const reporter = report?.by === next.match.slots[1].participantId ? next.other : next.one;
    if (!report) await as(reporter).matches.report({ matchId, games: scoresOf(next.match) });
    if (left > 0) await as(reporter === next.one ? next.other : next.one).matches.confirm({ matchId });
    else if (second) await begin({ matchId: second.match.id });
    if (left === 0) return;
  }
}

/** Has nothing sent about what a tournament's changes since `since` have emitted: the demo's own moves notify nobody. */
async function keepSilent(tournamentId: string, since: Date): Promise<void> {
  await db.$executeRaw`
    DELETE FROM "pending_event" n USING "domain_event" e WHERE e."id" = n."eventId" AND e."occurredAt" >= ${since}
      AND (e."aggregateId" = ${tournamentId} OR e."payload"->>'tournamentId' = ${tournamentId})`;
}

/** Which tournaments of the demo's project are editions of the running one, as a database condition. */
export const isEdition = { name: { startsWith: `${editionName} #` } } as const;

/**
 * Lets the demo's running tournament go on a little, and begins another one when it is over. What people have changed so
 * that a step is refused is left as it is.
 * @returns whether anything was played
 */
export async function continueDemo(projectId: string, cast: Cast): Promise<boolean> {
  const latest = await db.tournament.findFirst({
    where: { projectId, createdById: cast.organizer.id, ...isEdition },
    orderBy: { createdAt: 'desc' },
    select: { id: true, name: true, status: true },
  });
  const [{ now: since } = { now: new Date() }] = await db.$queryRaw<{ now: Date }[]>`SELECT now()`;
  try {
    if (latest?.status === 'IN_PROGRESS') {
      await playOn(latest.id, cast.moderator, 3).finally(() => keepSilent(latest.id, since));
      return true;
    }
    const number = Number(latest?.name.slice(editionName.length + 2));
    if (latest?.status !== 'COMPLETED' || !Number.isInteger(number)) return false;
    const { id } = await seedEdition(projectId, cast, number + 1);
    await keepSilent(id, new Date(0));
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}
