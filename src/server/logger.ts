import pino from 'pino';
import { env } from '@/env';

/** Structured logs on standard output. Whatever looks like a credential is replaced before it is written. */
export const logger = pino({
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
});

export type Logger = typeof logger;

/** For the one line a request: its fields are picked one by one, so none has to be searched for credentials. */
export const requestLogger = logger.child({}, { redact: [] });
