import { STATUS_CODES } from 'node:http';
import { TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';

/**
 * Every reason a request can be refused with. `status` is the HTTP answer, `message` the sentence a caller reads
 * unless the place that throws knows better. The API reference lists this table.
 */
export const reasons = {
  VALIDATION_FAILED: { status: 400, message: 'Some fields are missing or not valid.' },
  MALFORMED_JSON: { status: 400, message: 'The body is not valid JSON.' },
  INVALID_CURSOR: { status: 400, message: 'The cursor is not one that this list gave.' },
  INVALID_IDEMPOTENCY_KEY: { status: 400, message: 'Idempotency-Key must be 1 to 255 printable characters.' },
  INVALID_TOKEN: { status: 400, message: 'This link is not valid any more. Ask for a new one.' },
  INVALID_RESULT: { status: 400, message: 'This cannot be the result of this match.' },
  WEBHOOK_URL_REFUSED: { status: 400, message: 'Webhooks can only go to public addresses.' },
  UNAUTHENTICATED: { status: 401, message: 'Sign in, or send a Bearer access token.' },
  INVALID_ACCESS_TOKEN: { status: 401, message: 'The access token is not valid or has expired.' },
  INVALID_CREDENTIALS: { status: 401, message: 'The e-mail address and password do not match.' },
  INVALID_REFRESH_TOKEN: { status: 401, message: 'The refresh token is not valid. Sign in again.' },
  API_KEY_MISSING: { status: 401, message: 'Send an API key in the X-API-Key header.' },
  API_KEY_INVALID: { status: 401, message: 'The API key is not valid, has expired or was revoked.' },
  FORBIDDEN: { status: 403, message: 'Your role in this project does not allow this.' },
  ACCOUNT_SUSPENDED: { status: 403, message: 'This account is suspended.' },
  PLAN_LACKS_CAPABILITY: { status: 403, message: "The project's plan does not include this." },
  SCOPE_MISSING: { status: 403, message: 'The API key lacks the scope that this needs.' },
  CANCEL_NOT_ALLOWED: { status: 403, message: 'The organizer has switched off cancelling. Ask them to remove you.' },
  EDIT_NOT_ALLOWED: { status: 403, message: 'The organizer has switched off editing registrations.' },
  NOT_IN_MATCH: { status: 403, message: 'Only the players of this match and moderators can do this.' },
  STAFF_RESULTS_ONLY: { status: 403, message: 'In this tournament, staff enters the results.' },
  EMAIL_NOT_CONFIRMED: { status: 403, message: 'Confirm your email address first.' },
  ADDRESS_NOT_ALLOWED: { status: 403, message: "This subscription's whitelist does not hold your address." },
  CROSS_ORIGIN: { status: 403, message: 'This request came from another site.' },
  NOT_FOUND: { status: 404, message: 'There is nothing here.' },
  ROUTE_NOT_FOUND: { status: 404, message: 'There is no such route. See /docs/api.' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'This route does not take that method.' },
  CONFLICT: { status: 409, message: 'This clashes with the present state.' },
  ALREADY_MEMBER: { status: 409, message: 'This person is already a member of the project.' },
  ALREADY_INVITED: { status: 409, message: 'This address already has an open invitation.' },
  LAST_OWNER: { status: 409, message: 'A project needs an owner. Make someone else owner first.' },
  TEAM_FULL: { status: 409, message: 'This team has as many members as a team can have.' },
  TEAM_DISBANDED: { status: 409, message: 'This team was disbanded.' },
  CAPTAIN_MUST_STAY: { status: 409, message: 'Hand the captaincy over first, or disband the team.' },
  INVITATION_CLOSED: { status: 409, message: 'This invitation is not open any more. Ask the captain for a new one.' },
  EMAIL_TAKEN: { status: 409, message: 'This e-mail address cannot be used.' },
  SLUG_TAKEN: { status: 409, message: 'This address is taken. Choose another.' },
  INVALID_STATE: { status: 409, message: 'This is not possible in the present state.' },
  FIELD_LOCKED: { status: 409, message: 'Some of these settings cannot change any more.' },
  CAPACITY_TOO_LOW: { status: 409, message: 'More entrants hold a slot than this cap allows.' },
  REGISTRATION_CLOSED: { status: 409, message: 'Registration is not open.' },
  ALREADY_REGISTERED: { status: 409, message: 'You are already registered for this tournament.' },
  REGISTRATION_REJECTED: { status: 409, message: 'The organizer has rejected your registration.' },
  TOURNAMENT_FULL: { status: 409, message: 'The tournament is full and keeps no waitlist.' },
  ROSTER_FULL: { status: 409, message: 'Every slot of the tournament is taken.' },
  ALREADY_ON_ROSTER: { status: 409, message: 'A player of this roster already plays in this tournament.' },
  ROSTER_LOCKED: { status: 409, message: 'Rosters are locked. Ask the organizer to substitute a player.' },
  NOT_A_TEAM: { status: 409, message: 'Only teams have a roster. This tournament is for individuals.' },
  NOT_REGISTERED: { status: 404, message: 'You are not registered for this tournament.' },
  NOT_APPROVED: { status: 409, message: 'Only approved entrants can check in.' },
  CHECK_IN_CLOSED: { status: 409, message: 'Check-in is not open.' },
  ALREADY_CHECKED_IN: { status: 409, message: 'This entrant is already checked in.' },
  RATING_NOT_AVAILABLE: { status: 409, message: 'Nobody here has a rating to seed by. Seed by hand or at random.' },
  NOT_ENOUGH_PARTICIPANTS: { status: 409, message: 'A tournament needs at least two participants to start.' },
  FORMAT_NOT_PLAYABLE: { status: 409, message: 'These participants cannot play with the format options as they are.' },
  DRAW_CHANGED: { status: 409, message: 'The draw has changed since you looked at it. Look at it again, then start.' },
  MATCH_NOT_READY: { status: 409, message: 'This match still waits for a participant.' },
  MATCH_ALREADY_DECIDED: { status: 409, message: 'This match is already decided. Its result can be corrected.' },
  MATCH_NOT_DECIDED: { status: 409, message: 'This match has no reported result.' },
  NOTHING_TO_CONFIRM: { status: 409, message: 'Nobody has reported a result that you could confirm or dispute.' },
  AFFECTED_MATCH_IN_PROGRESS: { status: 409, message: 'A match that this would change is being played or disputed.' },
  PLAYED_PAST: { status: 409, message: 'The bracket has gone on without this participant.' },
  BRACKET_NOT_AVAILABLE: { status: 409, message: 'The bracket appears once the tournament has started.' },
  IDEMPOTENCY_KEY_REUSED: { status: 409, message: 'This Idempotency-Key was used for another request.' },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, message: 'The first request with this Idempotency-Key is still running.' },
  VERSION_MISMATCH: { status: 412, message: 'Someone changed this meanwhile. Read it again, then decide.' },
  ANTI_CHEAT_NOT_RUNNING: { status: 412, message: 'Start the anti-cheat client, then check in.' },
  BODY_TOO_LARGE: { status: 413, message: 'The body is larger than 1 MiB.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Send application/json.' },
  RATE_LIMITED: { status: 429, message: 'Too many requests. Wait until X-RateLimit-Reset.' },
  TOO_MANY_ATTEMPTS: { status: 429, message: 'Too many attempts. Try again later.' },
  INTERNAL: { status: 500, message: 'Internal server error' },
  NOT_READY: { status: 503, message: 'The service is starting or a part of it cannot be reached.' },
} as const;

export type Reason = keyof typeof reasons;
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

/** A refusal that may be shown to the caller as it is. */
export class Refusal extends TRPCError {
  readonly reason: Reason;
  readonly issues?: Issue[];
  /** Seconds after which trying again makes sense; sent as `Retry-After`. */
  readonly retryAfter?: number;

  constructor(reason: Reason, options: { message?: string; issues?: Issue[]; retryAfter?: number } = {}) {
    const { status, message } = reasons[reason];
    super({ code: trpcCode(status), message: options.message ?? message });
    this.reason = reason;
    this.issues = options.issues;
    this.retryAfter = options.retryAfter;
  }
}

/** Builds a refusal to throw: `throw refuse('ROSTER_FULL')`. */
export function refuse(reason: Reason, options?: ConstructorParameters<typeof Refusal>[1]): Refusal {
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

/** What any thrown thing means to the caller: unknown failures become INTERNAL and say nothing. */
export function describeError(error: unknown): {
  /** A TRPCError that no reason stands for keeps its own code. */
  reason: Reason | TRPCError['code'];
  status: number;
  message: string;
  issues?: Issue[];
  retryAfter?: number;
} {
  if (error instanceof Refusal) {
    const { reason, message, issues, retryAfter } = error;
    return { reason, status: reasons[reason].status, message, issues, retryAfter };
  }
  if (error instanceof TRPCError) {
    if (error.cause instanceof Refusal) return describeError(error.cause);
    const issues = zodIssues(error.cause);
    if (error.code === 'BAD_REQUEST' && issues) return { ...plain('VALIDATION_FAILED'), issues };
    const reason = reasonOfCode[error.code];
    if (reason) return plain(reason);
    const status = getHTTPStatusCodeFromError(error);
    if (status !== 500) return { reason: error.code, status, message: STATUS_CODES[status] ?? 'The request failed.' };
  }
  if (holdsUnstorableText(error)) {
    return { ...plain('VALIDATION_FAILED'), issues: [{ path: '', message: 'Text may not contain NUL characters.' }] };
  }
  return plain(isOutage(error) ? 'NOT_READY' : 'INTERNAL');
}

/** What PostgreSQL, its client, Prisma and the network say when the database cannot be had or goes away. */
const outageCodes =
  /^(08\w{3}|57P0[1-3]|53300|P1001|P1002|P1017|ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE)$/;
const outageMessages = /^(Connection terminated|Client has encountered a connection error|DatabaseNotReachable)/;

/** Whether a part that requests need could not be reached: nothing is wrong with the request, nor with the program. */
function isOutage(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; at instanceof Object && depth < 6; depth += 1) {
    const { code, message, cause, meta } = at as { code?: unknown; message?: unknown; cause?: unknown; meta?: unknown };
    if (outageCodes.test(String(code)) || outageMessages.test(String(message))) return true;
    at = cause ?? (meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError;
  }
  return false;
}

/** Whether PostgreSQL refused a text that it cannot store, which no schema looks for. */
function holdsUnstorableText(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; at instanceof Object && depth < 6; depth += 1) {
    const { originalCode, meta, cause } = at as { originalCode?: unknown; meta?: unknown; cause?: unknown };
    if (originalCode === '22021' || originalCode === '22P05') return true;
    at = cause ?? (meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError;
  }
  return false;
}

function plain(reason: Reason) {
  return { reason, status: reasons[reason].status, message: reasons[reason].message };
}

function zodIssues(cause: unknown): Issue[] | undefined {
  if (!(cause instanceof Error) || !('issues' in cause) || !Array.isArray(cause.issues)) return undefined;
  return cause.issues.map((issue: { path?: PropertyKey[]; message?: string }) => ({
    path: (issue.path ?? []).map(String).join('.'),
    message: issue.message ?? 'is not valid',
  }));
}
