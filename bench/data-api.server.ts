import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { env } from '@/env';

/** One side of the comparison, in its own process: `ours`, or the `floor` it is measured against. */

const columns = `id, slug, "projectId", name, description, rules, "gameId" AS game, format, "teamSize", "rosterMin", "rosterMax",
  "maxParticipants", "currentParticipants", status, visibility, "startDate", timezone, "registrationOpensAt",
  "registrationClosesAt", "checkInOpensAt", "checkInClosesAt", "requiresApproval", "waitlistEnabled", "allowCancel",
  "allowEdit", "requiresAntiCheat", "customFields", "entryFee", "prizePool", "formatOptions", "publishedAt", "startedAt",
  "completedAt", "cancelledAt", "createdAt", "updatedAt"`;

/** Bare Node and one prepared query: no key, no limit, no checks, no metrics, no log. */
async function floor(): Promise<string> {
  const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: env.DATABASE_POOL_SIZE });
  const tournament = { name: 'tournament', text: `SELECT ${columns} FROM tournament WHERE id = $1` };
  const matches = {
    name: 'matches',
    text: `SELECT json_agg(m ORDER BY m.number) AS matches FROM match m WHERE m."tournamentId" = $1`,
  };
  const server = createServer((req, res) => {
    const [, , , , , id, part] = req.url?.split('/') ?? [];
    pool.query({ ...(part === 'bracket' ? matches : tournament), values: [id] }).then(({ rows }) => {
      const body = JSON.stringify({ success: true, data: rows[0], message: 'Tournament retrieved' });
      res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function ours(): Promise<string> {
  const { startServer } = await import('@/server/http/server');
  return (await startServer({ port: 0, host: '127.0.0.1', withNext: false })).url;
}

process.send?.(await (process.argv[2] === 'floor' ? floor() : ours()));
