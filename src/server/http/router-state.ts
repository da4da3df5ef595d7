import { parseAndValidateFlightRouterState } from 'next/dist/server/app-render/parse-and-validate-flight-router-state.js';

/**
 * Limits of the router state that a browser sends: characters, and lists and objects in all. Our pages have a few hundred and about
 * 40; Next.js takes a second to parse a thousand.
 */
const maxStateLength = 8 * 1024;
const maxStateParts = 128;

/** Brackets inside strings count too: ours have hardly any, and without the state the browser gets the whole page. */
function isWithinLimits(state: string): boolean {
  return (
    state.length <= maxStateLength &&
    decodeURIComponent(state).split(/[[{]/, maxStateParts + 2).length <= maxStateParts + 1
  );
}

/** Whether Next.js can parse the router state that a browser sent, and quickly. */
export function isRouterState(header: string | string[] | undefined): boolean {
  try {
    if (header !== undefined && !(typeof header === 'string' && isWithinLimits(header))) return false;
    parseAndValidateFlightRouterState(header);
    return true;
  } catch {
    return false;
  }
}
