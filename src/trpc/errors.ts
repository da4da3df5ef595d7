/** What went wrong, in the shape every form, toast and error page reads. */
export type ReadError = {
  /** A sentence that says what happened and what to try. */
  message: string;
  /** Stable code from the reference, such as `ROSTER_FULL`. */
  reason: string;
  /** HTTP status; 0 when the server was not reached. */
  status: number;
  issues: { path: string; message: string }[];
  requestId?: string;
  /** Seconds after which trying again makes sense. */
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
      // The server's own sentence is for programs; what was typed here would be lost with the page.
      message: data.reason === 'UNAUTHENTICATED' ? signedOut : error.message,
      reason: data.reason,
      status: typeof data.httpStatus === 'number' ? data.httpStatus : 500,
      issues: issuesOf(data.issues),
      requestId: typeof data.requestId === 'string' ? data.requestId : undefined,
      retryAfter: typeof data.retryAfter === 'number' ? data.retryAfter : undefined,
    };
  }
  if (error.name === 'TRPCClientError' || error instanceof TypeError) {
    const message = 'The server could not be reached. Check your connection, then try again.';
    return { message, reason: 'UNREACHABLE', status: 0, issues: [] };
  }
  return { message: 'Something went wrong. Try again.', reason: 'UNKNOWN', status: 500, issues: [] };
}
