import pino, { type LoggerOptions } from 'pino';
import { env } from '@/env';

const flushMs = 200;
/** Lines that wait while they cannot be written; later ones are dropped. */
const maxWaiting = 1024 * 1024;

/** Standard output, several lines per write: one write per line costs as much as the rest of a small request. */
const output = pino.destination({ dest: 1, minLength: 8192, maxLength: maxWaiting, sync: true });
// Whoever writes a line must not fail where the disk is full, and the next write tries again.
output.on('error', () => undefined);
// The library's own waits for room on the disk, for as long as it takes, and nothing else of the process runs.
output.flushSync = () => output.flush();
setInterval(() => output.flush(), flushMs).unref();
process.on('exit', () => output.flushSync());

/** Short properties of errors that help to find the cause. Libraries also attach connections, queries and rows. */
const loggedProperties = [
  'code',
  'reason',
  'status',
  'syscall',
  'address',
  'port',
  'constraint',
  'table',
  'column',
  'severity',
];

/** An error in the log: its type, message and stack, and the same of its causes, up to three levels deep. */
function errorFields(error: unknown, depth = 0): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error).slice(0, 2_000) };
  const own = error as Error & Record<string, unknown>;
  const kept = loggedProperties.filter((name) => ['string', 'number'].includes(typeof own[name]));
  const { cause, errors } = own;
  const causes = Array.isArray(errors) ? errors.slice(0, 3) : cause === undefined ? [] : [cause];
  return {
    type: error.name,
    message: error.message.slice(0, 2_000),
    ...Object.fromEntries(kept.map((name) => [name, own[name]])),
    stack: error.stack
      ?.split('\n')
      .filter((line) => /^\s+at /.test(line))
      .slice(0, 12)
      .join('\n'),
    ...(depth < 3 && causes.length > 0 ? { causes: causes.map((each) => errorFields(each, depth + 1)) } : {}),
  };
}

/** Structured logs on standard output. Whatever looks like a credential is redacted. */
export const loggerOptions: LoggerOptions = {
  level: env.LOG_LEVEL,
  base: undefined,
  timestamp: pino.stdTimeFunctions.isoTime,
  serializers: { err: (error: unknown) => errorFields(error) },
  redact: {
    paths: [
      'password',
      '*.password',
      'token',
      '*.token',
      'accessToken',
      '*.accessToken',
      'refreshToken',
      '*.refreshToken',
      'secret',
      '*.secret',
      'signingSecret',
      '*.signingSecret',
      'key',
      '*.apiKey',
      'headers.authorization',
      'headers.cookie',
      'headers["x-api-key"]',
      '*.headers.authorization',
      '*.headers.cookie',
      '*.headers["x-api-key"]',
    ],
    censor: '[redacted]',
  },
};

export const logger = pino(loggerOptions, output);

/** For the one line per request: its fields are chosen one by one, so there is nothing to redact. */
export const requestLogger = logger.child({}, { redact: [] });
