import pg from 'pg';

export interface ListenerOptions {
  connectionString: string | undefined;
  applicationName: string;
  channels: readonly string[];
  onNotification: (channel: string, payload: string) => void;
  /** Runs on every new connection before it listens. */
  prepare?: (client: pg.Client) => Promise<void>;
  /** Called whenever the channels are open; what was sent while they were not is lost. */
  onOpen: () => void;
  onLost: (error: unknown, retryInMs: number) => void;
}

const heartbeatMs = 10_000;
const longestBackoffMs = 5_000;

/** One connection that listens on channels of PostgreSQL; reopened with backoff until `stop`. */
export class Listener {
  private client: pg.Client | null = null;
  private wanted = false;
  private open = false;
  private failures = 0;
  private retry: NodeJS.Timeout | undefined;
  private heartbeat: NodeJS.Timeout | undefined;

  constructor(private readonly options: ListenerOptions) {}

  /** Whether notifications arrive at this moment. */
  get connected(): boolean {
    return this.open;
  }

  /** Resolves when the channels are open, or when the first try has failed; the others follow by themselves. */
  async start(): Promise<void> {
    if (this.wanted) return;
    this.wanted = true;
    await this.connect();
  }

  async stop(): Promise<void> {
    this.wanted = false;
    clearTimeout(this.retry);
    if (this.client) await this.close(this.client);
  }

  private async connect(): Promise<void> {
    if (!this.wanted || this.client) return;
    const { applicationName, channels, connectionString, onNotification, onOpen, prepare } = this.options;
    const client = new pg.Client({
      connectionString,
      application_name: applicationName,
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
    });
    this.client = client;
    client.on('error', (error) => this.lose(client, error));
    client.on('end', () => this.lose(client));
    client.on('notification', ({ channel, payload = '' }) => onNotification(channel, payload));
    try {
      await client.connect();
      await prepare?.(client);
      for (const channel of channels) await client.query(`LISTEN ${channel}`);
    } catch (error) {
      return this.lose(client, error);
    }
    if (this.client !== client) return;
    this.open = true;
    this.failures = 0;
    // A peer that vanished without closing is noticed here, since LISTEN alone would wait forever.
    this.heartbeat = setInterval(() => {
      client.query('SELECT 1').catch((error: unknown) => this.lose(client, error));
    }, heartbeatMs);
    onOpen();
  }

  private lose(client: pg.Client, error?: unknown): void {
    if (this.client !== client) return;
    void this.close(client);
    const wait = Math.min(longestBackoffMs, 100 * 2 ** this.failures) * (0.75 + Math.random() / 2);
    this.failures += 1;
    this.retry = setTimeout(() => void this.connect(), wait);
    this.options.onLost(error, Math.round(wait));
  }

  private async close(client: pg.Client): Promise<void> {
    this.client = null;
    this.open = false;
    clearInterval(this.heartbeat);
    client.removeAllListeners();
    // A connection that is already broken may still report so; nobody is left to tell.
    client.on('error', () => undefined);
    await client.end().catch(() => undefined);
  }
}
