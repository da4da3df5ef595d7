import { newId } from '@/domain/ids';
import { loadUser } from '@/server/auth/bearer';
import { createContext } from '@/server/context';
import { appRouter } from '@/server/routers/_app';
import { createCallerFactory } from '@/server/trpc';

export type Person = { id: string; email: string };
export type Cast = { owner: Person; organizer: Person; moderator: Person; players: Person[] };

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
