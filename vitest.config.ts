import path from 'node:path';
import { defineConfig } from 'vitest/config';

/** Decisions and domain-free code: these files open no database, and a run of them alone starts none. */
const PURE = [
  'src/{domain,components}/**/*.test.{ts,tsx}',
  'src/**/rules.test.ts',
  'src/**/rules.*.test.ts',
  'src/test/*.test.ts',
];

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
          name: 'database',
          include: ['src/**/*.test.{ts,tsx}'],
          exclude: ['**/node_modules/**', ...PURE],
          globalSetup: ['src/test/global-setup.ts'],
          setupFiles: ['src/test/environment.ts', 'src/test/setup.ts'],
        },
      },
    ],
  },
});
