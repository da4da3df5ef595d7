import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readEnv } from '@/env';

const names = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name).sort();

describe('the environment', () => {
  it('is documented in .env.example, variable by variable', () => {
    const documented = names(readFileSync('.env.example', 'utf8'), /^#? ?([A-Z][A-Z0-9_]+)=/gm);
    const read = names(readFileSync('src/env.ts', 'utf8'), /^ {2}([A-Z][A-Z0-9_]+):/gm);
    expect(read.length).toBeGreaterThan(20);
    expect(documented).toEqual(read);
  });

  it('is rejected with all mistakes at once', () => {
    const mistakes = { PORT: 'http', DATABASE_URL: 'mysql://x', S3_BUCKET: 'only', SECRETS_KEY: 'short' };
    for (const name of ['PORT', 'DATABASE_URL', 'SECRETS_KEY', 'S3_ENDPOINT', 'S3_ACCESS_KEY_ID']) {
      expect(() => readEnv(mistakes)).toThrow(`\n  ${name}: `);
    }
    expect(() => readEnv({})).not.toThrow();
  });

  it('requires keys for an Inngest server in production', () => {
    const server = { NODE_ENV: 'production', INNGEST_BASE_URL: 'http://inngest.internal:8288' };
    const keys = { INNGEST_EVENT_KEY: 'e', INNGEST_SIGNING_KEY: 'ab12' };
    expect(() => readEnv(server)).toThrow('INNGEST_SIGNING_KEY: are required with INNGEST_BASE_URL');
    expect(() => readEnv({ ...server, INNGEST_EVENT_KEY: 'e' })).toThrow('INNGEST_SIGNING_KEY');
    expect(() => readEnv({ ...server, ...keys })).not.toThrow();
    expect(() => readEnv({ ...server, NODE_ENV: 'development' })).not.toThrow();
  });

  it('treats empty variables as unset', () => {
    expect(readEnv({ PORT: '', HOST: ' ', LOG_LEVEL: '', DATABASE_POOL_SIZE: '' })).toEqual(readEnv({}));
  });

  it('normalizes the addresses of admins, and requires an origin without a path', () => {
    expect(readEnv({ INSTANCE_ADMINS: ' Ada@Example.org, ,b@c.test' }).INSTANCE_ADMINS).toEqual([
      'ada@example.org',
      'b@c.test',
    ]);
    expect(() => readEnv({ INSTANCE_ADMINS: 'ada' })).toThrow('INSTANCE_ADMINS: must be email addresses');
    expect(readEnv({ PUBLIC_URL: 'https://play.example.org/' }).PUBLIC_URL).toBe('https://play.example.org/');
    expect(() => readEnv({ PUBLIC_URL: 'https://example.org/laurel' })).toThrow('without a path');
  });
});
