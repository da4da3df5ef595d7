import { connect, type Socket } from 'node:net';
import { percentiles, type Times } from './latency';

/** A client of the bench, by the token it sends. */
export type BenchClient = { id: string; token: string; tokenHash: string };

/** How fast clients send: posts of five reports in a second, heartbeats every ten seconds. */
export type Pace = { postsPerSecond: number; seconds: number };

export type Sent = {
  times: Times;
  /** Reports that the server said it has. */
  acknowledged: number;
  /** Requests with each other status than 200. */
  refused: Map<number, number>;
  /** Requests that were due and had no response in the end. */
  unanswered: number;
  /** The highest sequence that each client sent. */
  lastSequence: Map<string, number>;
};

const reportsPerPost = 5;
const tickMs = 2;

/** One keep-alive connection that sends one request at a time. Bare sockets, so that the generator costs little. */
class Connection {
  private readonly socket: Socket;
  private waiting: { text: string; done: (status: number) => void }[] = [];
  private current: ((status: number) => void) | null = null;
  private received = '';

  constructor(url: URL) {
    this.socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
    this.socket.setEncoding('latin1').on('data', (text) => this.read(String(text)));
    this.socket.on('error', () => undefined);
  }

  send(text: string, done: (status: number) => void): void {
    if (this.current) this.waiting.push({ text, done });
    else {
      this.current = done;
      this.socket.write(text);
    }
  }

  private read(text: string): void {
    this.received += text;
    const head = this.received.indexOf('\r\n\r\n');
    if (head === -1) return;
    const length = Number(/content-length: (\d+)/i.exec(this.received)?.[1] ?? 0);
    if (this.received.length < head + 4 + length) return;
    const status = Number(this.received.slice(9, 12));
    this.received = '';
    const done = this.current;
    const next = this.waiting.shift();
    this.current = next?.done ?? null;
    if (next) this.socket.write(next.text);
    done?.(status);
  }

  close(): void {
    this.socket.destroy();
  }
}

const kinds = [
  (n: number) => `"kind":"aim","data":{"degrees":${5 + (n % 60)},"durationMs":${90 + (n % 80)},"hit":${n % 3 === 0}}`,
  (n: number) => `"kind":"reaction","data":{"ms":${190 + (n % 120)}}`,
  (n: number) =>
    `"kind":"input","data":{"control":"mouse1","intervalsMs":[${Array.from({ length: 20 }, (_, at) => 90 + ((n * 7 + at * 13) % 140)).join(',')}]}`,
];

function reports(from: number): string {
  const at = new Date().toISOString();
  const list = Array.from({ length: reportsPerPost }, (_, index) => {
    const sequence = from + index;
    return `{"sequence":${sequence},"at":"${at}",${kinds[sequence % kinds.length]?.(sequence)}}`;
  });
  return `{"reports":[${list.join(',')}]}`;
}

function request(client: BenchClient, path: string, body: string): string {
  return (
    `POST /api/v1/anti-cheat/clients/me/${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${client.token}\r\n` +
    `X-Token-Hash: ${client.tokenHash}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
}

/**
 * Lets clients report and beat, evenly spread, whether or not earlier requests have a response. A time counts from the
 * moment at which its request was due.
 */
export async function play(origin: string, clients: readonly BenchClient[], pace: Pace): Promise<Sent> {
  const url = new URL(origin);
  const connections = clients.map(() => new Connection(url));
  const sent: Sent = {
    times: { p50: 0, p99: 0 },
    acknowledged: 0,
    refused: new Map(),
    unanswered: 0,
    lastSequence: new Map(),
  };
  const times: number[] = [];
  const sequences = clients.map(() => 1);

  function post(index: number, dueAt: number): void {
    const [client, connection] = [clients[index], connections[index]];
    if (!client || !connection) return;
    const from = sequences[index] ?? 1;
    sequences[index] = from + reportsPerPost;
    sent.lastSequence.set(client.id, from + reportsPerPost - 1);
    sent.unanswered += 1;
    connection.send(request(client, 'reports', reports(from)), (status) => {
      sent.unanswered -= 1;
      times.push(performance.now() - dueAt);
      if (status === 200) sent.acknowledged += reportsPerPost;
      else sent.refused.set(status, (sent.refused.get(status) ?? 0) + 1);
    });
  }

  function beat(index: number): void {
    const client = clients[index];
    sent.unanswered += 1;
    if (!client) return;
    connections[index]?.send(request(client, 'heartbeat', '{}'), (status) => {
      sent.unanswered -= 1;
      if (status !== 200) sent.refused.set(status, (sent.refused.get(status) ?? 0) + 1);
    });
  }

  const postEvery = 1_000 / (clients.length * pace.postsPerSecond);
  const beatEvery = 10_000 / clients.length;
  const begin = performance.now();
  const end = pace.seconds * 1_000;
  let [posts, beats] = [0, 0];
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const now = Math.min(performance.now() - begin, end);
      for (; posts * postEvery < now; posts += 1) post(posts % clients.length, begin + posts * postEvery);
      for (; beats * beatEvery < now; beats += 1) beat(beats % clients.length);
      if (now < end) return;
      clearInterval(timer);
      resolve();
    }, tickMs);
  });
  const patience = performance.now() + 20_000;
  while (sent.unanswered > 0 && performance.now() < patience) await new Promise((resolve) => setTimeout(resolve, 20));
  for (const connection of connections) connection.close();
  sent.times = percentiles(times);
  return sent;
}
