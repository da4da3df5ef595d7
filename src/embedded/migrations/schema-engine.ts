import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import { type Pool, type QueryArrayConfig, types } from 'pg';

let loaded: Promise<void> | undefined;

/** Prisma's schema engine in WebAssembly over connections of the pool: the only build of it that needs no download. */
export async function schemaEngine(pool: Pool): Promise<bindings.SchemaEngine> {
  loaded ??= load();
  await loaded;
  const factory = bindMigrationAwareSqlAdapterFactory(new CatalogAdapter(pool));
  return bindings.SchemaEngine.new({ datamodels: undefined }, () => undefined, factory);
}

/** Prisma's adapter does not read the type "char" of PostgreSQL's catalog, which the engine needs to describe a database. */
class CatalogAdapter extends PrismaPg {
  constructor(private readonly pool: Pool) {
    super(pool);
  }

  override async connect() {
    const adapter = await super.connect();
    adapter.queryRaw = async (query) => {
      const columns: number[] = [];
      const client = {
        query: async (config: QueryArrayConfig) => {
          const result = await this.pool.query(config);
          for (const [index, field] of result.fields.entries()) {
            if (field.dataTypeID !== types.builtins.CHAR) continue;
            columns.push(index);
            field.dataTypeID = types.builtins.TEXT;
          }
          return result;
        },
      };
      const result = await Object.getPrototypeOf(adapter).queryRaw.call(
        Object.create(adapter, { client: { value: client } }),
        query,
      );
      for (const index of columns) result.columnTypes[index] = ColumnTypeEnum.Character;
      return result;
    };
    return adapter;
  }
}

async function load(): Promise<void> {
  const file = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const bytes = await readFile(file.replace(/\.js$/, '.wasm'));
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': { ...bindings } });
  bindings.__wbg_set_wasm(instance.exports);
  (instance.exports.__wbindgen_start as () => void)();
}
