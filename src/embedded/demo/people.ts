import { newId } from '@/domain/ids';
import { loadUser } from '@/server/auth/bearer';
import { createContext } from '@/server/context';
import { db } from '@/server/db';
import { appRouter } from '@/server/routers/_app';
import { createCallerFactory } from '@/server/trpc';
import { playerNames } from './content';

export type Person = { id: string; email: string };
export type Cast = { owner: Person; organizer: Person; moderator: Person; players: Person[] };

/** The people of a demo that was seeded; null when one of its staff is gone. */
export async function findCast(): Promise<Cast | null> {
  const rows = await db.user.findMany({
    where: { email: { endsWith: '@demo.test' } },
    select: { id: true, email: true },
  });
  const find = (account: string) => rows.find(({ email }) => email === `${account}@demo.test`);
  const [owner, organizer, moderator] = ['owner', 'organizer', 'moderator'].map(find);
  if (!owner || !organizer || !moderator) return null;
  const players = Array.from({ length: playerNames.length }, (_, at) => find(`player${at + 1}`));
  return { owner, organizer, moderator, players: players.flatMap((player) => player ?? []) };
}

const createCaller = createCallerFactory(appRouter);

/** The API as called by one person, with all checks and events. */
export function as(person: Person) {
  const context = createContext({
    requestId: newId('req'),
    ip: '127.0.0.1',
    transport: 'server',
    sessionUser: () => loadUser(person.id),
    setHeader: () => undefined,
  });
  return createCaller(context);
}

/** A player of the demo by number, starting at 1. */
export function playerOf(cast: Cast, number: number): Person {
  const person = cast.players[number - 1];
  if (!person) throw new Error(`the demo has no player ${number}`);
  return person;
}
