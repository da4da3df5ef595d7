// A receiver in its own process. POST /<kind>/<scenario>: `instant`, `slow` (200 ms), `flaky` (one in ten is a 500),
// `hung` (never), `late` (55 s) or `drip` (a byte a second). A GET of the same path is a health check, which `hung`
// never answers and others at once. GET /<scenario>: what arrived, and how long after its event was created.
import { createServer } from 'node:http';

/** @type {Map<string, {events: Map<string, number>, accepted: number, latencies: number[], seconds: Map<number, number[]>}>} */
const scenarios = new Map();
let turn = 0;

function of(name) {
  const found = scenarios.get(name);
  if (found) return found;
  const made = { events: new Map(), accepted: 0, latencies: [], seconds: new Map() };
  scenarios.set(name, made);
  return made;
}

function count({ latencies, seconds }, at, latency) {
  const second = Math.floor(at / 1_000);
  const sameSecond = seconds.get(second);
  if (sameSecond) sameSecond.push(latency);
  else seconds.set(second, [latency]);
  latencies.push(latency);
}

function summary({ events, accepted, latencies, seconds }) {
  const quantile = (values, share) =>
    [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? null;
  const at = (share) => quantile(latencies, share);
  const eachSecond = [...seconds.values()].map((values) => quantile(values, 0.99));
  return {
    accepted,
    distinct: events.size,
    duplicates: accepted - events.size,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    /** The p99 of a second, as half of the seconds have it: one stall of the machine does not change it. */
    usualP99: quantile(eachSecond, 0.5),
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
    if (name === '') response.end(JSON.stringify(summary(of(kind))));
    else if (kind !== 'hung') response.end('ok');
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
      if (!scenario.events.has(key)) count(scenario, at, at - Date.parse(event.timestamp));
      scenario.events.set(key, at);
      scenario.accepted += 1;
      response.end('ok');
    };
    answers[kind]?.(accept, () => response.writeHead(500).end(), response);
  });
});
server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${server.address().port}`));
process.on('disconnect', () => process.exit(0));
