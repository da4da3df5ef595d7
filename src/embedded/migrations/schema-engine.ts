import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import type { Pool, QueryArrayConfig } from 'pg';

export type { MigrationList } from '@prisma/schema-engine-wasm/schema_engine_bg';

export const NO_FILTERS = { externalTables: [], externalEnums: [] };

let loaded: Promise<void> | undefined;

/**
 * Prisma's schema engine in WebAssembly over connections of the given pool: the only build of it that needs no download.
 * Its own errors do not say what the database answered to a script; `onScriptError` hears it.
 */
export async function schemaEngine(
  pool: Pool,
  onScriptError: (error: Error) => void = () => undefined,
): Promise<bindings.SchemaEngine> {
  loaded ??= load();
  await loaded;
  const factory = bindMigrationAwareSqlAdapterFactory(new MigrationAdapter(pool, onScriptError));
  return bindings.SchemaEngine.new({ datamodels: undefined }, () => undefined, factory);
}

const CHAR = 18;
const TEXT = 25;

/**
 * The stock adapter with two faults mended: it cuts a script at every semicolon, and so through the body of a function, and
 * it does not know the type "char" of PostgreSQL's own catalogue, which the engine reads to describe a database.
 */
class MigrationAdapter extends PrismaPg {
  constructor(
    private readonly pool: Pool,
    private readonly onScriptError: (error: Error) => void,
  ) {
    super(pool);
  }

  override async connect() {
    const adapter = await super.connect();
    const { pool, onScriptError } = this;
    adapter.executeScript = async (script) => {
      await pool.query(script).catch((error) => {
        onScriptError(error);
        throw error;
      });
    };
    adapter.queryRaw = async (query) => {
      const types: number[] = [];
      const client = {
        query: async (config: QueryArrayConfig) => {
          const result = await pool.query(config);
          for (const [index, field] of result.fields.entries()) {
            if (field.dataTypeID !== CHAR) continue;
            types.push(index);
            field.dataTypeID = TEXT;
          }
          return result;
        },
      };
      const result = await Object.getPrototypeOf(adapter).queryRaw.call(
        Object.create(adapter, { client: { value: client } }),
        query,
      );
      for (const index of types) result.columnTypes[index] = ColumnTypeEnum.Character;
      return result;
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
