// A receiver in its own process. POST /<kind>/<scenario>: `instant`, `slow` (200 ms), `flaky` (one in ten is a 500),
// `hung` (never), `late` (55 s) or `drip` (a byte a second). GET /<scenario>: what arrived, and how long after its
// event was created.
import { createServer } from 'node:http';

/** @type {Map<string, {events: Map<string, number>, accepted: number, latencies: number[]}>} */
const scenarios = new Map();
let turn = 0;

function of(name) {
  const found = scenarios.get(name);
  if (found) return found;
  const made = { events: new Map(), accepted: 0, latencies: [] };
  scenarios.set(name, made);
  return made;
}

function summary({ events, accepted, latencies }) {
  const sorted = [...latencies].sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
  return {
    accepted,
    distinct: events.size,
    duplicates: accepted - events.size,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    lastAt: events.size > 0 ? Math.max(...events.values()) : null,
  };
}

const answers = {
  instant: (accept) => accept(),
  slow: (accept) => setTimeout(accept, 200),
  flaky(accept, refuse) {
    turn += 1;
    if (turn % 10 === 0) refuse();
    else accept();
  },
  hung: () => undefined,
  late: (accept) => setTimeout(accept, 55_000),
  drip(_accept, _refuse, response) {
    response.writeHead(200);
    const timer = setInterval(() => response.write('.'), 1_000);
    response.on('close', () => clearInterval(timer));
  },
};

const server = createServer((request, response) => {
  const [, kind = '', name = ''] = (request.url ?? '').split('/');
  if (request.method === 'GET') {
    response.end(JSON.stringify(summary(of(kind))));
    return;
  }
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('error', () => undefined);
  request.on('end', () => {
    const at = Date.now();
    const { event, webhook } = JSON.parse(Buffer.concat(chunks).toString());
    const accept = () => {
      const scenario = of(name);
      const key = `${event.id}:${webhook.subscriptionId}`;
      if (!scenario.events.has(key)) scenario.latencies.push(at - Date.parse(event.timestamp));
      scenario.events.set(key, at);
      scenario.accepted += 1;
      response.end('ok');
    };
    answers[kind]?.(accept, () => response.writeHead(500).end(), response);
  });
});
server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${server.address().port}`));
process.on('disconnect', () => process.exit(0));
