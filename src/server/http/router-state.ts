import { parseAndValidateFlightRouterState } from 'next/dist/server/app-render/parse-and-validate-flight-router-state.js';

/**
 * What a browser says that it already shows: characters, and lists and objects in all. Ours have some hundreds and 40; Next.js
 * takes a second for a thousand of them.
 */
const maxStateLength = 8 * 1024;
const maxStateParts = 128;

/** Brackets in texts count too: ours have hardly any, and without the state the browser gets the whole page. */
function isWithinLimits(state: string): boolean {
  return (
    state.length <= maxStateLength &&
    decodeURIComponent(state).split(/[[{]/, maxStateParts + 2).length <= maxStateParts + 1
  );
}

/** Whether Next.js can read what a browser says that it already shows, and without taking long. */
export function isRouterState(header: string | string[] | undefined): boolean {
  try {
    if (header !== undefined && !(typeof header === 'string' && isWithinLimits(header))) return false;
    parseAndValidateFlightRouterState(header);
    return true;
  } catch {
    return false;
  }
}
