import { randomBytes } from 'node:crypto';

/** The environment of every test file, regardless of the shell that runs the tests. */
const variables = {
  NODE_ENV: 'test',
  LOG_LEVEL: 'silent',
  PORT: '0',
  HOST: '127.0.0.1',
  PUBLIC_URL: 'http://localhost:3000',
  AUTH_SECRET: randomBytes(32).toString('base64url'),
  SECRETS_KEY: randomBytes(32).toString('base64'),
  WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
  TRUSTED_PROXIES: '0',
  LAUREL_DEMO: '0',
  DATABASE_POOL_SIZE: '10',
  LAUREL_EMBEDDED: '1',
};
// The one outside service that tests can use: the Inngest conformance scenarios run against it.
if (process.env.INNGEST_BASE_URL) {
  process.env.CONFORMANCE_SERVER = process.env.INNGEST_BASE_URL;
  for (const key of ['EVENT_KEY', 'SIGNING_KEY']) {
    const value = process.env[`INNGEST_${key}`];
    if (value) process.env[`CONFORMANCE_${key}`] = value;
  }
}
const foreign = /^(DATABASE|INNGEST|S3|SMTP|REDIS|DISCORD|GOOGLE|TWITCH|NEXTAUTH|MAIL|LAUREL)_/;
for (const name of Object.keys(process.env)) if (foreign.test(name)) delete process.env[name];
Object.assign(process.env, variables);
