/** An error as forms, toasts and error pages show it. */
export type ReadError = {
  /** What happened, and what to do. */
  message: string;
  /** The error code from the API reference, such as `ROSTER_FULL`. */
  reason: string;
  /** HTTP status; 0 when the server was not reached. */
  status: number;
  issues: { path: string; message: string }[];
  requestId?: string;
  /** Seconds to wait before trying again. */
  retryAfter?: number;
};

type ErrorData = {
  reason?: unknown;
  httpStatus?: unknown;
  issues?: unknown;
  requestId?: unknown;
  retryAfter?: unknown;
};

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function dataOf(error: Error): ErrorData | undefined {
  if ('data' in error && isRecord(error.data)) return error.data;
  return undefined;
}

function issuesOf(value: unknown): ReadError['issues'] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((issue: unknown) =>
    isRecord(issue) && typeof issue.path === 'string' && typeof issue.message === 'string'
      ? [{ path: issue.path, message: issue.message }]
      : [],
  );
}

const signedOut = 'You are signed out. Sign in in another tab, then try again here.';

/** Reads a tRPC error, or anything else that was thrown in the browser. Never throws. */
export function readError(error: unknown): ReadError {
  if (!(error instanceof Error)) {
    return { message: 'Something went wrong. Try again.', reason: 'UNKNOWN', status: 500, issues: [] };
  }
  const data = dataOf(error);
  if (data && typeof data.reason === 'string') {
    return {
      // The server's message is for API clients. Signing in in another tab does not lose what was typed here.
      message: data.reason === 'UNAUTHENTICATED' ? signedOut : error.message,
      reason: data.reason,
      status: typeof data.httpStatus === 'number' ? data.httpStatus : 500,
      issues: issuesOf(data.issues),
      requestId: typeof data.requestId === 'string' ? data.requestId : undefined,
      retryAfter: typeof data.retryAfter === 'number' ? data.retryAfter : undefined,
    };
  }
  if (error.name === 'TRPCClientError' || error instanceof TypeError) {
    const message = 'The server could not be reached. Check your connection and try again.';
    return { message, reason: 'UNREACHABLE', status: 0, issues: [] };
  }
  return { message: 'Something went wrong. Try again.', reason: 'UNKNOWN', status: 500, issues: [] };
}
