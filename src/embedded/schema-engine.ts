import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import type { Pool } from 'pg';

export type { DiffTarget, MigrationList } from '@prisma/schema-engine-wasm/schema_engine_bg';

export const NO_FILTERS = { externalTables: [], externalEnums: [] };

let loaded: Promise<void> | undefined;

/** Prisma's schema engine in WebAssembly over connections of the given pool: the only build of it that needs no download. */
export async function schemaEngine(pool: Pool): Promise<bindings.SchemaEngine> {
  loaded ??= load();
  await loaded;
  const factory = bindMigrationAwareSqlAdapterFactory(new WholeScripts(pool));
  return bindings.SchemaEngine.new({ datamodels: undefined }, () => undefined, factory);
}

/** The stock adapter cuts a script at every semicolon, and so through the body of a function. */
class WholeScripts extends PrismaPg {
  constructor(private readonly pool: Pool) {
    super(pool);
  }

  override async connect() {
    const adapter = await super.connect();
    adapter.executeScript = async (script) => {
      await this.pool.query(script);
    };
    return adapter;
  }
}

async function load(): Promise<void> {
  const file = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const bytes = await readFile(file.replace(/\.js$/, '.wasm'));
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': withIdleTimers() });
  bindings.__wbg_set_wasm(instance.exports);
  (instance.exports.__wbindgen_start as () => void)();
}

/** The engine never clears the ten-second timeout of its lock, which would hold every process that migrates. */
function withIdleTimers(): WebAssembly.ModuleImports {
  const imports: WebAssembly.ModuleImports = { ...bindings };
  for (const [name, value] of Object.entries(imports)) {
    if (!name.startsWith('__wbg_setTimeout_') || typeof value !== 'function') continue;
    imports[name] = (...args: unknown[]) => {
      const timer = value(...args);
      timer?.unref?.();
      return timer;
    };
  }
  return imports;
}
