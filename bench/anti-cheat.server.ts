import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { startEmbeddedExecutor } from '@/embedded/inngest/executor';
import { env, flattenProcessEnv } from '@/env';
import { functions } from '@/inngest/index';
import { embeddedTransport, inngest } from '@/server/jobs/client';
import { logger } from '@/server/logger';

/** One side of the comparison, in its own process: `ours`, or the `floor` it is measured against. */

/** Bare Node: one prepared statement stores the reports of a request. */
async function floor(): Promise<string> {
  const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: env.DATABASE_POOL_SIZE });
  const text = `
    INSERT INTO "anti_cheat_report" ("clientId", "sequence", "at", "receivedAt", "kind", "data")
    SELECT c."id", r."sequence", r."at", clock_timestamp(), r."kind", r."data"
    FROM jsonb_to_recordset($2::jsonb) AS r("sequence" bigint, "at" timestamptz, "kind" text, "data" jsonb)
    JOIN "anti_cheat_client" c ON c."tokenHash" = $1
    ON CONFLICT ("clientId", "sequence") DO NOTHING`;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { reports } = JSON.parse(Buffer.concat(chunks).toString()) as { reports?: unknown[] };
    const tokenHash = request.headers['x-token-hash'];
    if (reports) await pool.query({ name: 'bare', text, values: [tokenHash, JSON.stringify(reports)] });
    const body = JSON.stringify({ accepted: reports?.length ?? 0 });
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The server with the functions that evaluate what comes in. */
async function ours(): Promise<string> {
  flattenProcessEnv();
  if (!embeddedTransport) throw new Error('Unset INNGEST_*: this measures the embedded executor');
  await startEmbeddedExecutor({
    connectionString: env.DATABASE_URL ?? '',
    client: inngest,
    transport: embeddedTransport,
    functions: functions.filter((fn) => /anti-cheat/.test(fn.id())),
    logger,
  });
  const { startServer } = await import('@/server/http/server');
  return (await startServer({ port: 0, host: '127.0.0.1', withNext: false })).url;
}

process.on('disconnect', () => process.exit(0));
process.send?.(await (process.argv[2] === 'floor' ? floor() : ours()));
