// Visitors of one block of addresses in a process of their own, each with a connection on which it asks for one thing after
// the other. A message says where, how many, for how long and what; the answer is how many requests were answered.
import { Agent, request } from 'node:http';

let asked = 0;

/** What a visitor asks for: a third each for a page, an account, and a page that is not there; or a health check. */
function nextOf(kind, visitor, page) {
  asked += 1;
  if (kind === 'cheap') return { path: '/healthz' };
  if (visitor % 3 === 0) return { path: page };
  if (visitor % 3 === 1) return { path: `/tournaments/none-${process.pid}-${asked}` };
  const body = { name: 'Robin', email: `r${asked}.${process.pid}@example.test`, password: `correct horse ${asked}` };
  return { path: '/api/v1/auth/register', method: 'POST', body: JSON.stringify(body) };
}

function ask(url, agent, localAddress, { path, method, body }) {
  const headers = body ? { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) } : {};
  return new Promise((resolve, reject) => {
    const call = request(url + path, { method, headers, agent, localAddress }, (response) => {
      response.resume().on('end', resolve);
    });
    call.on('error', reject).end(body);
  });
}

process.on('disconnect', () => process.exit(0));
process.on('message', async ({ url, kind, visitors, seconds, page, block, rate }) => {
  const began = performance.now();
  let answered = 0;
  let begun = 0;
  async function visit(_, visitor) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (performance.now() < began + seconds * 1000) {
      // As many a second as were answered of what costs more, where that is known.
      if (rate) {
        const due = began + (begun++ / rate) * 1000;
        await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
      }
      await ask(url, agent, `${block}.${1 + (visitor % 250)}`, nextOf(kind, visitor, page)).catch(() => undefined);
      answered += 1;
    }
    agent.destroy();
  }
  await Promise.all(Array.from({ length: visitors }, visit));
  process.send?.(answered);
});
process.send?.('ready');
