import { defineConfig } from 'prisma/config';

// `generate` and `validate` run on WebAssembly; naming any executable here keeps the CLI from downloading an engine.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

export default defineConfig({ schema: 'prisma', migrations: { path: 'prisma/migrations' } });
