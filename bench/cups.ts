import { changeTo } from '@/domain/brackets/play/patch';
import { decidedMatch } from '@/domain/brackets/play/results';
import { settle } from '@/domain/brackets/play/settle';
import { bySeed } from '@/domain/brackets/playing.fixture';
import type { TournamentUncheckedCreateInput } from '@/generated/prisma/models';
import { createContext } from '@/server/context';
import { db } from '@/server/db';
import { systemActor } from '@/server/events/emit';
import { appRouter } from '@/server/routers/_app';
import { withBracket } from '@/server/routers/matches/data-bracket';
import { saveChange } from '@/server/routers/matches/data-changes';
import { createCallerFactory } from '@/server/trpc';
import { makeMember, makeParticipants, makeProject, makeTournament } from '@/test/factories';

const createCaller = createCallerFactory(appRouter);

/** The procedures as a bearer calls them over REST. */
export function callAs(bearer: string | undefined) {
  const facts = { requestId: 'req_bench', ip: '127.0.0.1', transport: 'rest', setHeader: () => undefined } as const;
  return createCaller(createContext({ ...facts, authorization: bearer }));
}

export type StartedCup = Awaited<ReturnType<typeof startCup>>;

/** A tournament before its start, with `count` participants, the first of whom has seed 1. */
export async function seedCup(count: number, data: Partial<TournamentUncheckedCreateInput> = {}) {
  const { project } = await makeProject();
  const organizer = await makeMember(project.id, 'ORGANIZER');
  const tournament = await makeTournament(project.id, { maxParticipants: count, ...data });
  const participantIds = await makeParticipants(tournament, count);
  await db.$executeRaw`
    UPDATE "participant" p SET "seed" = o.place
    FROM unnest(${participantIds}::text[]) WITH ORDINALITY AS o(id, place) WHERE p."id" = o.id`;
  return { project, organizer, tournament };
}

/** The same, started. */
export async function startCup(count: number, data: Partial<TournamentUncheckedCreateInput> = {}) {
  const cup = await seedCup(count, data);
  await callAs(cup.organizer.bearer).matches.start({ tournamentId: cup.tournament.id });
  return cup;
}

/**
 * Lets the better seed win every match of `rounds` rounds, and stores them by one change.
 * @param spared id of a match that stays open, and so does what waits for it
 */
export async function playRounds(
  { tournament }: Pick<StartedCup, 'tournament'>,
  rounds: number,
  spared?: string,
): Promise<void> {
  await db.$transaction(
    async (tx) => {
      const play = await withBracket(tx, tournament.id);
      let { bracket } = play;
      for (;;) {
        const open = bracket.matches.filter(
          ({ status, round, number }) =>
            status === 'ready' && round <= rounds && (spared === undefined || play.rows.get(number)?.id !== spared),
        );
        if (open.length === 0) break;
        const decided = new Map(
          open.map((match) => {
            const winnerId = match.slots[bySeed(match)].participantId;
            return [match.number, decidedMatch(bracket, match, { type: 'played', winnerId })];
          }),
        );
        bracket = settle({ ...bracket, matches: bracket.matches.map((one) => decided.get(one.number) ?? one) });
      }
      await saveChange(tx, { actor: systemActor, requestId: null }, play, changeTo(play.bracket, bracket));
    },
    { timeout: 300_000 },
  );
}
