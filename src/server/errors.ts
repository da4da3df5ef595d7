import { STATUS_CODES } from 'node:http';
import { TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import { maxTeamMembers } from '@/domain/teams/forms';

/**
 * What lets staff go back behind matches that were played: players could decide them again as often as they are reopened.
 * Names the setting as its page does.
 */
export const howToGoBack =
  'To do it anyway, set “Who enters results” to “Staff only”, reopen the matches that were played, then try again.';

/**
 * Every error code of the API. `status` is the HTTP status; `message` is what the caller reads, unless the place that
 * throws has a more specific message. `rateStatus` is the status where the limit is a rate, so that waiting helps. The API
 * reference lists this table.
 */
export const reasons = {
  VALIDATION_FAILED: { status: 400, message: 'Some fields are missing or invalid. Correct them and try again.' },
  MALFORMED_JSON: { status: 400, message: 'The request body is not valid JSON.' },
  INVALID_CURSOR: { status: 400, message: 'The cursor is not valid. Start again with the first page.' },
  INVALID_IDEMPOTENCY_KEY: { status: 400, message: 'Idempotency-Key must be 1 to 255 printable characters.' },
  INVALID_TOKEN: { status: 400, message: 'This link has expired or was already used. Request a new one.' },
  INVALID_RESULT: { status: 400, message: 'This is not a possible result of this match.' },
  WEBHOOK_URL_REFUSED: { status: 400, message: 'Webhooks can only go to public addresses. Use another URL.' },
  UNAUTHENTICATED: { status: 401, message: 'Sign in, or send a Bearer access token.' },
  INVALID_ACCESS_TOKEN: { status: 401, message: 'The access token is invalid or has expired. Get a new one.' },
  INVALID_CREDENTIALS: { status: 401, message: 'The email address and password do not match.' },
  INVALID_REFRESH_TOKEN: { status: 401, message: 'The refresh token is invalid or has expired. Sign in again.' },
  API_KEY_MISSING: { status: 401, message: 'Send an API key in the X-API-Key header.' },
  API_KEY_INVALID: { status: 401, message: 'The API key is invalid, expired or revoked. Use another key.' },
  CLIENT_TOKEN_INVALID: {
    status: 401,
    message: 'The client token is missing, invalid or revoked. Enroll the client again.',
  },
  FORBIDDEN: { status: 403, message: 'Your role does not allow this. Ask an owner or admin of the project.' },
  ACCOUNT_SUSPENDED: { status: 403, message: 'This account is suspended. Contact the operator of this site.' },
  PLAN_LACKS_CAPABILITY: {
    status: 403,
    message: "The project's plan does not include this. Ask the operator of this site to change the plan.",
  },
  SCOPE_MISSING: { status: 403, message: 'The API key does not have the required scope. Use a key that has it.' },
  CANCEL_NOT_ALLOWED: {
    status: 403,
    message: 'The organizer does not allow players to cancel. Ask them to remove your registration.',
  },
  EDIT_NOT_ALLOWED: {
    status: 403,
    message: 'The organizer does not allow players to edit registrations. Ask them to make the change.',
  },
  NOT_IN_MATCH: { status: 403, message: 'Only the players of this match and moderators can do this.' },
  STAFF_RESULTS_ONLY: { status: 403, message: 'Only staff can enter results in this tournament.' },
  EMAIL_NOT_CONFIRMED: { status: 403, message: 'Confirm your email address first.' },
  ADDRESS_NOT_ALLOWED: {
    status: 403,
    message: 'Your IP address is not in the whitelist of this webhook. Use an address that is.',
  },
  CROSS_ORIGIN: { status: 403, message: 'This request came from another site, so it was blocked.' },
  NOT_FOUND: { status: 404, message: 'This does not exist, or you do not have access to it.' },
  ROUTE_NOT_FOUND: { status: 404, message: 'This route does not exist. See /docs/api.' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'This route does not support this method. See /docs/api.' },
  CONFLICT: { status: 409, message: 'This conflicts with the current state. Reload and try again.' },
  ALREADY_MEMBER: { status: 409, message: 'This person is already a member of the project.' },
  ALREADY_INVITED: {
    status: 409,
    message: 'This address already has an open invitation. Revoke it to send another.',
  },
  LAST_OWNER: { status: 409, message: 'A project needs an owner. Make someone else an owner first.' },
  TEAM_FULL: { status: 409, message: `This team already has ${maxTeamMembers} members, the maximum.` },
  TEAM_DISBANDED: { status: 409, message: 'This team was disbanded. Its captain can restore it.' },
  CAPTAIN_MUST_STAY: {
    status: 409,
    message: 'The captain cannot leave the team. Make someone else captain first, or disband the team.',
  },
  INVITATION_CLOSED: {
    status: 409,
    message: 'This invitation is no longer open. Ask the captain for a new one.',
  },
  EMAIL_TAKEN: { status: 409, message: 'This email address cannot be used. Use another.' },
  GAME_EXISTS: { status: 409, message: 'This project can already use a game with this name.' },
  SLUG_TAKEN: { status: 409, message: 'This address is already taken. Choose another.' },
  INVALID_STATE: { status: 409, message: 'This is not possible in the current state.' },
  FIELD_LOCKED: { status: 409, message: 'Some of these settings can no longer be changed.' },
  CAPACITY_TOO_LOW: {
    status: 409,
    message: 'More participants already have a slot than this maximum allows. Choose a higher maximum.',
  },
  REGISTRATION_CLOSED: { status: 409, message: 'Registration is not open.' },
  ALREADY_REGISTERED: { status: 409, message: 'You are already registered for this tournament.' },
  REGISTRATION_REJECTED: {
    status: 409,
    message: 'The organizer rejected your registration. Contact them if you think this is a mistake.',
  },
  TOURNAMENT_FULL: { status: 409, message: 'The tournament is full and has no waitlist.' },
  ROSTER_FULL: {
    status: 409,
    message: 'Every slot of the tournament is taken. Raise the maximum or remove a participant first.',
  },
  NAME_TAKEN: {
    status: 409,
    message: 'A participant of this tournament already has this name. Use a name that tells them apart.',
  },
  SEED_TAKEN: { status: 409, message: 'Another participant of this tournament already has this seed.' },
  CLAIM_LINK_CLOSED: {
    status: 409,
    message: 'This link was already used, replaced by a newer one, or has expired. Ask the organizer for a new one.',
  },
  ALREADY_ON_ROSTER: {
    status: 409,
    message: 'A player on this roster is already registered for this tournament. Choose another player.',
  },
  ROSTER_LOCKED: { status: 409, message: 'Rosters are locked. Ask the organizer to substitute a player.' },
  NOT_A_TEAM: { status: 409, message: 'Only teams have a roster, and this tournament is for individual players.' },
  NOT_REGISTERED: { status: 404, message: 'You are not registered for this tournament.' },
  NOT_APPROVED: { status: 409, message: 'Only approved participants can check in.' },
  CHECK_IN_CLOSED: { status: 409, message: 'Check-in is not open.' },
  ALREADY_CHECKED_IN: { status: 409, message: 'This participant is already checked in.' },
  RATING_NOT_AVAILABLE: {
    status: 409,
    message: 'No participant has a rating to seed by. Seed manually or at random.',
  },
  NOT_ENOUGH_PARTICIPANTS: { status: 409, message: 'A tournament needs at least two participants to start.' },
  FORMAT_NOT_PLAYABLE: {
    status: 409,
    message: 'The format options do not fit the number of participants. Change them, then try again.',
  },
  DRAW_CHANGED: { status: 409, message: 'The draw has changed since you looked at it. Check it again, then start.' },
  MATCHES_LEFT: { status: 409, message: 'Some matches are still to be played.' },
  MATCH_NOT_READY: { status: 409, message: 'This match is still waiting for a participant.' },
  MATCH_ALREADY_DECIDED: { status: 409, message: 'This match is already decided. A moderator can correct its result.' },
  GRACE_NOT_OVER: {
    status: 409,
    message: 'The called participants still have time to show up. Wait until then, or take the call back.',
  },
  STATION_NAME_TAKEN: { status: 409, message: 'Another station of this tournament has this name. Choose another.' },
  MATCH_NOT_DECIDED: { status: 409, message: 'This match has no reported result.' },
  NOTHING_TO_CONFIRM: { status: 409, message: 'There is no reported result to confirm or dispute.' },
  AFFECTED_MATCH_IN_PROGRESS: {
    status: 409,
    message: 'This would change a match that is in progress or disputed. Finish that match first.',
  },
  PLAYED_PAST: {
    status: 409,
    message: `The bracket has already moved on without this participant. ${howToGoBack}`,
  },
  BRACKET_NOT_AVAILABLE: {
    status: 409,
    message: 'The bracket is not available yet. It appears once the tournament has started.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 409,
    message: 'This Idempotency-Key was already used for a different request. Use a new key.',
  },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
    message: 'The first request with this Idempotency-Key is still running. Try again shortly.',
  },
  ALREADY_REVIEWED: {
    status: 409,
    message: 'Someone else has reviewed this detection since you opened it. Look at it again before you change it.',
  },
  SESSION_ENDED: { status: 409, message: 'This session ended more than a day ago. Evidence is no longer accepted.' },
  VERSION_MISMATCH: { status: 412, message: 'Someone else has changed this. Reload it and try again.' },
  ANTI_CHEAT_NOT_RUNNING: { status: 412, message: 'Start the anti-cheat client, then check in.' },
  BODY_TOO_LARGE: { status: 413, message: 'The request body is larger than 1 MiB.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Send the request body as application/json.' },
  QUOTA_EXCEEDED: {
    status: 409,
    rateStatus: 429,
    message: 'A limit is reached. The message says which one, and what to do.',
  },
  RATE_LIMITED: { status: 429, message: 'Too many requests. Wait until the time in X-RateLimit-Reset.' },
  TOO_MANY_ATTEMPTS: { status: 429, message: 'Too many attempts. Try again later.' },
  INTERNAL: { status: 500, message: 'Internal server error' },
  OVERLOADED: { status: 503, message: 'Too many requests are waiting. Try again in a few seconds.' },
  NOT_READY: { status: 503, message: 'The service is starting or cannot reach its database. Try again shortly.' },
} as const;

export type Reason = keyof typeof reasons;
/** What is wrong with one field of the input. `path` is dotted: `teamMembers.0.userId`. */
export type Issue = { path: string; message: string };

const trpcCodes: Record<number, TRPCError['code']> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_SUPPORTED',
  409: 'CONFLICT',
  412: 'PRECONDITION_FAILED',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_SERVER_ERROR',
  503: 'SERVICE_UNAVAILABLE',
};

/** The code that tRPC's own clients see; for a status that tRPC does not know, only whose fault it is. */
function trpcCode(status: number): TRPCError['code'] {
  return trpcCodes[status] ?? (status < 500 ? 'BAD_REQUEST' : 'INTERNAL_SERVER_ERROR');
}

/** A rate limit at the time of a refusal; sent as `X-RateLimit-*`. */
export type RateState = {
  limit: number;
  remaining: number;
  /** Unix seconds. */
  resetAt: number;
};

/** The most issues that a response lists. */
export const maxIssues = 100;

/** `cause` is for the log. */
type RefusalOptions = { message?: string; issues?: Issue[]; retryAfter?: number; rate?: RateState; cause?: unknown };

/** An error that the caller may see as it is. */
export class Refusal extends TRPCError {
  readonly reason: Reason;
  readonly issues?: Issue[];
  readonly status: number;
  /** Seconds to wait before trying again; sent as `Retry-After`. */
  readonly retryAfter?: number;
  readonly rate?: RateState;

  constructor(reason: Reason, options: RefusalOptions = {}) {
    const entry: { status: number; rateStatus?: number; message: string } = reasons[reason];
    const status = (options.rate && entry.rateStatus) || entry.status;
    super({ code: trpcCode(status), message: options.message ?? entry.message, cause: options.cause });
    this.reason = reason;
    this.status = status;
    this.issues = options.issues?.slice(0, maxIssues);
    this.retryAfter = options.retryAfter;
    this.rate = options.rate;
  }
}

/** Creates an error to throw: `throw refuse('ROSTER_FULL')`. */
export function refuse(reason: Reason, options?: RefusalOptions): Refusal {
  return new Refusal(reason, options);
}

/** What the errors mean that tRPC itself throws, or code that knows no refusal. */
const reasonOfCode: Partial<Record<TRPCError['code'], Reason>> = {
  PARSE_ERROR: 'MALFORMED_JSON',
  BAD_REQUEST: 'VALIDATION_FAILED',
  UNAUTHORIZED: 'UNAUTHENTICATED',
  FORBIDDEN: 'FORBIDDEN',
  NOT_FOUND: 'ROUTE_NOT_FOUND',
  METHOD_NOT_SUPPORTED: 'METHOD_NOT_ALLOWED',
  CONFLICT: 'CONFLICT',
  PAYLOAD_TOO_LARGE: 'BODY_TOO_LARGE',
  UNSUPPORTED_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  TOO_MANY_REQUESTS: 'TOO_MANY_ATTEMPTS',
  SERVICE_UNAVAILABLE: 'NOT_READY',
};

/** What the caller sees of any error. An unexpected error becomes INTERNAL and reveals nothing. */
export function describeError(error: unknown): {
  /** A TRPCError that no reason stands for keeps its own code. */
  reason: Reason | TRPCError['code'];
  status: number;
  message: string;
  issues?: Issue[];
  retryAfter?: number;
  rate?: RateState;
} {
  if (error instanceof Refusal) {
    const { reason, status, message, issues, retryAfter, rate } = error;
    return { reason, status, message, issues, retryAfter, rate };
  }
  if (error instanceof TRPCError) {
    if (error.cause instanceof Refusal) return describeError(error.cause);
    const issues = zodIssues(error.cause);
    if (error.code === 'BAD_REQUEST' && issues) return { ...fromTable('VALIDATION_FAILED'), issues };
    const reason = reasonOfCode[error.code];
    if (reason) return fromTable(reason);
    const status = getHTTPStatusCodeFromError(error);
    if (status !== 500) return { reason: error.code, status, message: STATUS_CODES[status] ?? 'The request failed.' };
  }
  if (holdsUnstorableText(error)) {
    return {
      ...fromTable('VALIDATION_FAILED'),
      issues: [{ path: '', message: 'Text may not contain NUL characters.' }],
    };
  }
  if (hasWaitedTooLong(error)) return { ...fromTable('OVERLOADED'), retryAfter: 3 };
  return fromTable(isOutage(error) ? 'NOT_READY' : 'INTERNAL');
}

/** What an error may have of what PostgreSQL, its client, Prisma and the network say. */
type Causes = { code?: unknown; message?: unknown; originalCode?: unknown; cause?: unknown; meta?: unknown };

/** An error and what caused it: tRPC hands over its own, and Prisma's own hold those of its driver. */
function causesOf(error: unknown): Causes[] {
  const causes: Causes[] = [];
  for (let current: unknown = error; current instanceof Object && causes.length < 6; ) {
    const one = current as Causes;
    causes.push(one);
    current = one.cause ?? (one.meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError;
  }
  return causes;
}

const waitedTooLong = /Unable to start a transaction in the given time|on an expired transaction/;

/** Whether a transaction found no connection in time, waited longer than it may for a row, or took too long. */
const hasWaitedTooLong = (error: unknown): boolean =>
  causesOf(error).some(
    ({ code, message, originalCode }) =>
      (code === 'P2028' && waitedTooLong.test(String(message))) || [code, originalCode].includes('55P03'),
  );

/** Codes from PostgreSQL, its client, Prisma and the network when the database is unavailable, or has no room on its disk. */
const outageCodes =
  /^(08\w{3}|57P0[1-3]|53\w{3}|P1001|P1002|P1017|ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE)$/;
const outageMessages =
  /^(Connection terminated|Client has encountered a connection error|DatabaseNotReachable|Query read timeout)/;

/** Whether the database or another service could not be reached. */
const isOutage = (error: unknown): boolean =>
  causesOf(error).some(({ code, message }) => outageCodes.test(String(code)) || outageMessages.test(String(message)));

/** Whether PostgreSQL rejected text that it cannot store, which schemas do not check for. */
const holdsUnstorableText = (error: unknown): boolean =>
  causesOf(error).some(({ originalCode }) => originalCode === '22021' || originalCode === '22P05');

function fromTable(reason: Reason) {
  return { reason, status: reasons[reason].status, message: reasons[reason].message };
}

function zodIssues(cause: unknown): Issue[] | undefined {
  if (!(cause instanceof Error) || !('issues' in cause) || !Array.isArray(cause.issues)) return undefined;
  return cause.issues.slice(0, maxIssues).map((issue: { path?: PropertyKey[]; message?: string }) => ({
    path: (issue.path ?? []).map(String).join('.'),
    message: issue.message ?? 'is invalid',
  }));
}
