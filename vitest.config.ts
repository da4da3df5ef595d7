import path from 'node:path';
import { defineConfig } from 'vitest/config';

/** Decisions and domain-free code: these files open no database, and a run of them alone starts none. */
const PURE = [
  'src/{domain,components}/**/*.test.{ts,tsx}',
  'src/**/rules.test.ts',
  'src/**/rules.*.test.ts',
  'src/test/*.test.ts',
];

/** These wait for most of their time: for timeouts of the product, outages and full minutes, and not for a processor. */
const WAITING = [
  'src/inngest/functions/{anti-cheat,anti-cheat.forgotten,tournaments}.test.ts',
  'src/server/db.lost.test.ts',
  'src/server/delivery/health-checks.test.ts',
  'src/server/delivery/outbound/resolve.test.ts',
  'src/server/delivery/sending/{drain,under-way}.test.ts',
  'src/server/email/{connections,mail-server,sender*}.test.ts',
];

const withDatabase = {
  globalSetup: ['src/test/global-setup.ts'],
  setupFiles: ['src/test/environment.ts', 'src/test/setup.ts'],
};

export default defineConfig({
  resolve: { alias: { '@': path.resolve(import.meta.dirname, 'src') } },
  test: {
    environment: 'node',
    pool: 'forks',
    maxWorkers: 2,
    // These end what hangs. A slow or busy machine must never reach them.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        // They share nothing that one of them changes, so one process can read what they import for all of them.
        test: { name: 'pure', include: PURE, isolate: false, setupFiles: ['src/test/environment.ts'] },
      },
      {
        extends: true,
        test: {
          ...withDatabase,
          name: 'database',
          include: ['src/**/*.test.{ts,tsx}'],
          exclude: ['**/node_modules/**', ...PURE, ...WAITING],
        },
      },
      {
        extends: true,
        // More of them at a time, behind the others, which would take the processors from them.
        test: { ...withDatabase, name: 'waiting', include: WAITING, maxWorkers: 4, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
