import { parseAndValidateFlightRouterState } from 'next/dist/server/app-render/parse-and-validate-flight-router-state.js';

/**
 * What a browser says that it already shows: characters, and brackets within each other. Ours have some hundreds and 20;
 * Next.js takes a second for a thousand brackets.
 */
const maxStateLength = 8 * 1024;
const maxStateDepth = 64;

function isWithinLimits(state: string): boolean {
  if (state.length > maxStateLength) return false;
  let depth = 0;
  for (const character of decodeURIComponent(state)) {
    if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > maxStateDepth) return false;
  }
  return true;
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
