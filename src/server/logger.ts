import pino, { type LoggerOptions } from 'pino';
import { env } from '@/env';

const flushMs = 200;

/** Standard output, several lines a write: a write for each line costs as much as the rest of a small request. */
const output = pino.destination({ dest: 1, minLength: 8192, sync: true });
setInterval(() => output.flush(), flushMs).unref();
process.on('exit', () => output.flushSync());

/** Structured logs on standard output. Whatever looks like a credential is replaced before it is written. */
const options: LoggerOptions = {
  level: env.LOG_LEVEL,
  base: undefined,
  timestamp: pino.stdTimeFunctions.isoTime,
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

export const logger = pino(options, output);

export type Logger = typeof logger;

/** For the one line a request: its fields are picked one by one, so none has to be searched for credentials. */
export const requestLogger = logger.child({}, { redact: [] });
