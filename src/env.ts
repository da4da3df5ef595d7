import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/** Ports that browsers block and that someone might choose: https://fetch.spec.whatwg.org/#port-blocking. */
const blockedPorts = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

const flag = z
  .enum(['0', '1', 'true', 'false', ''])
  .optional()
  .transform((value) => (value === undefined || value === '' ? undefined : value === '1' || value === 'true'));

const optional = z
  .string()
  .optional()
  .transform((value) => (value?.trim() ? value.trim() : undefined));

const url = (schemes: string[]) =>
  optional.refine((value) => value === undefined || schemes.some((scheme) => value.startsWith(`${scheme}://`)), {
    message: `must start with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
  });

/** Values separated by commas; empty by default. */
const list = z
  .string()
  .default('')
  .transform((value) =>
    value
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  );

/** A limit of `src/server/limits/quotas.ts`. */
const quota = (limit: number) => z.coerce.number().int().min(1).max(1_000_000_000).default(limit);

const schema = z.object({
  NODE_ENV: z.enum(['development', 'production', 'test']).default('production'),
  /** TCP port of the HTTP server. */
  PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .refine((port) => !blockedPorts.has(port), { message: 'is a port that browsers block; choose another' })
    .default(3000),
  /** Interface that the server listens on. Tests and embedded processes always use 127.0.0.1. */
  HOST: z.string().default('127.0.0.1'),
  /** Origin of the site, for links, emails, sign-in callbacks and the demo file. */
  PUBLIC_URL: url(['http', 'https']).refine(
    (value) => value === undefined || (URL.canParse(value) && new URL(value).pathname === '/'),
    { message: 'must be an origin such as https://play.example.org, without a path' },
  ),
  LAUREL_DATA_DIR: z.string().default('.data'),
  LAUREL_DEMO: flag,
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  DATABASE_URL: url(['postgres', 'postgresql']),
  /** Maximum connections of one process to PostgreSQL. */
  DATABASE_POOL_SIZE: z.coerce.number().int().min(2).max(200).default(16),
  // What each of these counts is said in `src/server/limits/quotas.ts`.
  PROJECTS_PER_USER: quota(10),
  PROJECTS_PER_USER_PER_DAY: quota(3),
  TOURNAMENTS_PER_PROJECT_PER_DAY: quota(200),
  TOURNAMENTS_PER_BLOCK_PER_DAY: quota(1000),
  GUESTS_PER_PROJECT_PER_DAY: quota(5000),
  QUESTION_VERSIONS_PER_TOURNAMENT: quota(50),
  SUBSTITUTIONS_PER_PARTICIPANT: quota(200),
  IMPORTED_ADDRESSES_PER_USER_PER_DAY: quota(20000),
  MATCH_EVENTS_PER_MINUTE: quota(600),
  MATCH_EVENTS_PER_PROJECT_PER_MINUTE: quota(30_000),
  MATCH_EVENT_KIB_PER_PROJECT_PER_DAY: quota(2 * 1024 * 1024),
  WEBHOOKS_FREE: quota(3),
  WEBHOOKS_PRO: quota(25),
  WEBHOOKS_ENTERPRISE: quota(200),
  GAMES_PER_PROJECT: quota(100),
  API_KEYS_PER_PROJECT: quota(100),
  ACCESS_TOKENS_PER_USER_PER_DAY: quota(100),
  IDEMPOTENCY_KEYS_PER_CALLER_PER_DAY: quota(50_000),
  WEBHOOKS_PER_URL: quota(5),
  WEBHOOK_REPLAYS_PER_PROJECT_PER_DAY: quota(500_000),
  WEBHOOK_TESTS_PER_PROJECT_PER_MINUTE: quota(60),
  INVITATIONS_PER_PROJECT: quota(100),
  INVITATIONS_PER_TEAM: quota(20),
  TEAM_INVITATIONS_PER_BLOCK_PER_DAY: quota(50),
  TEAMS_PER_USER: quota(100),
  UPLOADS_PER_PROJECT_PER_HOUR: quota(20),
  SCREENSHOTS_PER_USER_PER_HOUR: quota(10),
  SCREENSHOTS_PER_USER_PER_DAY: quota(50),
  SCREENSHOT_KIB_PER_PROJECT_PER_DAY: quota(5 * 1024 * 1024),
  MATCH_MESSAGES_PER_USER_PER_MINUTE: quota(20),
  MATCH_ANSWERS_PER_PLAYER_PER_HOUR: quota(30),
  MATCH_LINES_PER_SIDE_PER_MONTH: quota(500),
  REGISTRATION_CHANGES_PER_PLAYER_PER_HOUR: quota(60),
  HEAVY_CALLS_PER_USER_PER_MINUTE: quota(60),
  URL_CHECKS_PER_USER_PER_MINUTE: quota(60),
  BULK_EVENTS_PER_PROJECT_PER_DAY: quota(500_000),
  WRITES_PER_USER_PER_DAY: quota(50_000),
  LIVE_STREAMS_PER_NETWORK: quota(500),
  LIVE_STREAMS_PER_BLOCK: quota(2000),
  LIVE_STREAMS_PER_USER: quota(100),
  ACCOUNT_STREAMS_PER_NETWORK: quota(2000),
  ACCOUNT_STREAMS_PER_BLOCK: quota(4000),
  ACCOUNT_EMAILS_PER_NETWORK_PER_HOUR: quota(5),
  ACCOUNT_EMAILS_PER_BLOCK_PER_HOUR: quota(10),
  ACCOUNT_EMAILS_PER_HOUR: quota(20),
  STRANGER_EMAILS_PER_DAY: quota(50),
  EMAILS_PER_ADDRESS_PER_HOUR: quota(10),
  EMAILS_PER_ADDRESS_PER_DAY: quota(30),
  OWN_EMAILS_PER_ADDRESS_PER_HOUR: quota(60),
  ANTI_CHEAT_CLIENTS_PER_USER: quota(20),
  ANTI_CHEAT_ENROLLMENTS_PER_USER_PER_DAY: quota(100),
  ANTI_CHEAT_REPORTS_PER_MINUTE: quota(1200),
  ANTI_CHEAT_KIB_PER_CLIENT_PER_HOUR: quota(16_384),
  ANTI_CHEAT_KIB_PER_PROJECT_PER_HOUR: quota(20_971_520),
  ANTI_CHEAT_KIB_OUTSIDE_SESSIONS_PER_HOUR: quota(524_288),
  ANTI_CHEAT_SESSIONS_PER_PROJECT: quota(500),
  ANTI_CHEAT_SESSIONS_PER_PROJECT_PER_DAY: quota(10_000),
  ANTI_CHEAT_REPLAYS_PER_HOUR: quota(30),
  EVIDENCE_PER_SESSION_PER_HOUR: quota(600),
  EVIDENCE_KIB_PER_PROJECT_PER_DAY: quota(50 * 1024 * 1024),
  INNGEST_EVENT_KEY: optional,
  INNGEST_SIGNING_KEY: optional,
  INNGEST_BASE_URL: url(['http', 'https']),
  /** Origin at which the Inngest server reaches this instance. */
  INNGEST_SERVE_ORIGIN: url(['http', 'https']),
  S3_ENDPOINT: url(['http', 'https']),
  S3_REGION: z.string().default('us-east-1'),
  S3_BUCKET: optional,
  S3_ACCESS_KEY_ID: optional,
  S3_SECRET_ACCESS_KEY: optional,
  /** How a presigned upload is bound to its bytes. docs/decisions.md says which stores support which. */
  S3_UPLOAD_LOCK: z
    .enum(['signed-header', 'query-content-sha256', 'query-checksum', ''])
    .optional()
    .transform((value) => value || 'signed-header'),
  /** Whether browsers upload through this process, for a store that they cannot reach. */
  S3_PROXY_UPLOADS: flag,
  SMTP_URL: url(['smtp', 'smtps']),
  /** Connections of this process to the mail server, each of which sends one email after another. */
  SMTP_CONNECTIONS: z.coerce.number().int().min(1).max(100).default(10),
  /** Emails that this process begins to send in a minute, at even intervals; no limit by default. */
  SMTP_MAX_PER_MINUTE: optional
    .refine((value) => value === undefined || (/^\d{2,7}$/.test(value) && Number(value) >= 30), {
      message: 'must be a number from 30 on',
    })
    .transform((value) => Number(value ?? Number.POSITIVE_INFINITY)),
  MAIL_FROM: z.string().default('Laurel <no-reply@laurel.test>'),
  REDIS_URL: url(['redis', 'rediss']),
  /** Signs access tokens, session cookies and unsubscribe links. */
  AUTH_SECRET: optional.refine((value) => value === undefined || value.length >= 32, {
    message: 'must be at least 32 characters',
  }),
  /** 32 bytes in base64; encrypts secrets in the database. Of several, separated by commas, the first one encrypts. */
  SECRETS_KEY: optional.refine(
    (value) => value === undefined || value.split(',').every((key) => Buffer.from(key.trim(), 'base64').length === 32),
    { message: 'must be 32 bytes in base64, or several such keys separated by commas' },
  ),
  /** Email addresses of the instance admins. The accounts' addresses must be confirmed. */
  INSTANCE_ADMINS: list
    .transform((addresses) => addresses.map((address) => address.toLowerCase()))
    .refine((addresses) => addresses.every((address) => /^[^\s@]+@[^\s@]+$/.test(address)), {
      message: 'must be email addresses separated by commas',
    }),
  DISCORD_CLIENT_ID: optional,
  DISCORD_CLIENT_SECRET: optional,
  GOOGLE_CLIENT_ID: optional,
  GOOGLE_CLIENT_SECRET: optional,
  TWITCH_CLIENT_ID: optional,
  TWITCH_CLIENT_SECRET: optional,
  /** CIDR ranges, separated by commas, that webhooks can reach although they are not public. */
  WEBHOOK_ALLOWED_CIDRS: list.refine((ranges) => ranges.every((range) => ipaddr.isValidCIDR(range)), {
    message: 'must be ranges such as 10.20.0.0/16, separated by commas',
  }),
  /** Name servers that webhooks are resolved with, such as 192.0.2.1 or 192.0.2.1:5353; those of the system by default. */
  WEBHOOK_NAME_SERVERS: list.refine(
    (servers) =>
      servers.every((server) => isIP(server.replace(/^\[(.*)\](:\d+)?$|:\d+$/, '$1')) > 0 || isIP(server) > 0),
    {
      message: 'must be addresses such as 192.0.2.1 or 192.0.2.1:5353, separated by commas',
    },
  ),
  /** Where a verdict is asked for on each anti-cheat detection; nobody is asked by default. */
  ANTI_CHEAT_VERDICT_URL: url(['http', 'https']).refine(
    (value) => value === undefined || (URL.canParse(value) && !new URL(value).username && !new URL(value).password),
    { message: 'must be a URL without a user name or password' },
  ),
  /** Signs these requests, as the secret of a webhook does. */
  ANTI_CHEAT_VERDICT_SECRET: optional.refine(
    (value) =>
      value === undefined || (value.startsWith('whsec_') && Buffer.from(value.slice(6), 'base64').length >= 24),
    { message: 'must be whsec_ and at least 24 bytes in base64' },
  ),
  /** Milliseconds for the whole response. */
  ANTI_CHEAT_VERDICT_TIMEOUT_MS: z.coerce.number().int().min(100).max(60_000).default(10_000),
  /** Number of reverse proxies in front of this process whose X-Forwarded-For entries are trusted. */
  TRUSTED_PROXIES: z.coerce.number().int().min(0).max(10).default(0),
  /** Set by the start script only: PostgreSQL, the executor and the store run embedded. */
  LAUREL_EMBEDDED: flag,
});

/** Variables that have to be set together. */
const together: [names: (keyof Env)[], reason: string][] = [
  [
    ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
    'is required with the other S3_* variables',
  ],
  [['ANTI_CHEAT_VERDICT_URL', 'ANTI_CHEAT_VERDICT_SECRET'], 'is required with the other ANTI_CHEAT_VERDICT_* variable'],
  [['INNGEST_EVENT_KEY', 'INNGEST_SIGNING_KEY'], 'is required with the other INNGEST_* key'],
  [['DISCORD_CLIENT_ID', 'DISCORD_CLIENT_SECRET'], 'is required with the other DISCORD_* variable'],
  [['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'], 'is required with the other GOOGLE_* variable'],
  [['TWITCH_CLIENT_ID', 'TWITCH_CLIENT_SECRET'], 'is required with the other TWITCH_* variable'],
];

export type Env = z.infer<typeof schema>;

/** Variables that hold a number. */
export type NumberVariable = { [Name in keyof Env]: Env[Name] extends number ? Name : never }[keyof Env];

/**
 * Validates environment variables.
 * @throws Error whose message has one line for every mistake
 */
export function readEnv(environment: Record<string, string | undefined>): Env {
  // Docker Compose and others pass unset variables as empty text.
  const source = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
  const parsed = schema.safeParse(source);
  const mistakes = (parsed.error?.issues ?? []).map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  for (const [names, reason] of together) {
    const missing = names.filter((name) => !source[name]?.trim());
    if (missing.length < names.length) mistakes.push(...missing.map((name) => `  ${name}: ${reason}`));
  }
  const { S3_ENDPOINT, S3_UPLOAD_LOCK } = source;
  if (/\.amazonaws\.com(\.cn)?(:\d+)?(\/|$)/i.test(S3_ENDPOINT ?? '') && S3_UPLOAD_LOCK?.startsWith('query-')) {
    mistakes.push('  S3_UPLOAD_LOCK: Amazon S3 does not check a checksum in the query; remove it or set signed-header');
  }
  if (parsed.data?.NODE_ENV === 'production' && parsed.data.INNGEST_BASE_URL && !parsed.data.INNGEST_SIGNING_KEY) {
    mistakes.push(
      '  INNGEST_EVENT_KEY, INNGEST_SIGNING_KEY: are required with INNGEST_BASE_URL, or anybody could run the functions',
    );
  }
  if (parsed.success && mistakes.length === 0) return parsed.data;
  throw new Error(`Some environment variables are invalid:\n${mistakes.join('\n')}\nSee .env.example.`);
}

export const env: Env = readEnv(process.env);

/**
 * Makes `process.env` a plain object: the Inngest SDK reads all of it several times per call, and each read of the
 * original is slow.
 */
export function flattenProcessEnv(): void {
  process.env = { ...process.env };
}

/** The public origin of the site, without a trailing slash. */
export const publicUrl: string = (
  env.PUBLIC_URL ?? `http://${['0.0.0.0', '::'].includes(env.HOST) ? 'localhost' : env.HOST}:${env.PORT}`
).replace(/\/+$/, '');

// next-auth only reads its origin from this variable.
process.env.NEXTAUTH_URL = `${publicUrl}/api/auth`;
