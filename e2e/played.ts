import type { Rest } from './people';

type RestAs = (email: string) => Promise<Rest>;
type Match = {
  id: string;
  number: number;
  status: string;
  bestOf: number;
  slots: { participantId: string | null; name: string | null; seed: number | null }[];
};
type Bracket = { stages: { rounds: { matches: Match[] }[] }[] };

const organizer = 'organizer@demo.test';

/** Makes, fills with the demo's players 1 to `count`, and starts a tournament. */
export async function startTournament(
  rest: RestAs,
  project: { id: string },
  settings: Record<string, unknown>,
  count: number,
): Promise<{ id: string; slug: string; name: string }> {
  const staff = await rest(organizer);
  const made = await staff<{ id: string; slug: string; name: string }>('POST', `/projects/${project.id}/tournaments`, {
    ...{ name: `Played ${crypto.randomUUID().slice(0, 8)}`, game: 'cs2', maxParticipants: 32 },
    ...{ startDate: new Date(Date.now() + 3_600_000).toISOString(), ...settings },
  });
  const { id } = made.body;
  await staff('POST', `/tournaments/${id}/publish`);
  for (let player = 1; player <= count; player++) {
    await (await rest(`player${player}@demo.test`))('POST', `/tournaments/${id}/participants/register`);
  }
  const started = await staff('POST', `/tournaments/${id}/start`, {});
  if (started.status !== 200) throw new Error(`Not started: ${JSON.stringify(started.body)}`);
  return made.body;
}

export async function readMatches(rest: RestAs, tournamentId: string): Promise<Match[]> {
  const staff = await rest(organizer);
  const { body } = await staff<Bracket>('GET', `/tournaments/${tournamentId}/bracket`);
  return body.stages.flatMap(({ rounds }) => rounds.flatMap(({ matches }) => matches));
}

/** Lets the better seed win up to `limit` open matches. */
export async function playMatches(rest: RestAs, tournamentId: string, limit: number): Promise<void> {
  const staff = await rest(organizer);
  for (let played = 0; played < limit; ) {
    const open = (await readMatches(rest, tournamentId)).filter(({ status }) => status === 'ready');
    if (open.length === 0) return;
    for (const { id, slots, bestOf } of open.slice(0, limit - played)) {
      const firstWins = (slots[0]?.seed ?? 0) < (slots[1]?.seed ?? 0);
      const games = Array.from({ length: Math.ceil(bestOf / 2) }, () => ({ scores: firstWins ? [13, 7] : [7, 13] }));
      const resolved = await staff('POST', `/matches/${id}/resolve`, { games });
      if (resolved.status !== 200) throw new Error(`Not resolved: ${JSON.stringify(resolved.body)}`);
      played++;
    }
  }
}
