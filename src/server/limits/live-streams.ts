import { randomBytes } from 'node:crypto';
import { blockOf, siteOf } from '@/domain/network/address-ranges';
import { pool } from '@/server/db';
import { limitOf, type NumberName } from '@/server/limits/quotas';
import { requireRoom } from '@/server/limits/take-quota';
import { logger } from '@/server/logger';

/** How long the count of other processes is trusted, and the longest until a change reaches them. */
const freshMs = 1_000;
const renewMs = 20_000;
const expiresAfterSeconds = 60;

const SHARE = `
  WITH own AS (
    INSERT INTO live_stream_count (network, process, streams, "expiresAt")
    SELECT n, $1, s, now() + make_interval(secs => ${expiresAfterSeconds}) FROM unnest($2::text[], $3::int[]) AS v (n, s)
    ON CONFLICT (network, process) DO UPDATE SET streams = excluded.streams, "expiresAt" = excluded."expiresAt"
  )
  SELECT network, sum(streams)::int AS elsewhere FROM live_stream_count
  WHERE network = ANY ($2) AND process <> $1 AND "expiresAt" > now() GROUP BY network`;

type Network = {
  open: number;
  elsewhere: number;
  asked: Promise<void> | null;
  askedAt: number;
  /** Set while a change waits to be shared with the others. */
  telling: NodeJS.Timeout | undefined;
};

/**
 * Counts the live streams of accounts, and by network and by block of addresses, with and without a session: one
 * person has any number of accounts, and each stream takes a file of the process. Processes share their counts through
 * the database, so that together they admit no more than one would, but for streams that begin within the same second.
 */
export class LiveStreams {
  private readonly process = randomBytes(9).toString('base64url');
  private readonly networks = new Map<string, Network>();
  private renewal: NodeJS.Timeout | undefined;

  /**
   * Admits one stream.
   * @param account the caller's, or null without a session
   * @returns a function to call when the stream ends
   * @throws QUOTA_EXCEEDED
   */
  async open(ip: string, account: string | null): Promise<() => void> {
    const counted: [NumberName, string][] =
      account === null
        ? [
            ['liveStreamsOfBlock', `block ${blockOf(ip)}`],
            ['liveStreams', siteOf(ip)],
          ]
        : [
            ['accountStreamsOfBlock', `accounts of block ${blockOf(ip)}`],
            ['accountStreams', `accounts of ${siteOf(ip)}`],
            ['liveStreamsOfAccount', account],
          ];
    const ends: (() => void)[] = [];
    const close = () => {
      for (const end of ends.splice(0)) end();
    };
    try {
      for (const [quota, name] of counted) ends.push(await this.count(quota, name));
      return close;
    } catch (error) {
      close();
      throw error;
    }
  }

  /** Counts one more, unless there are as many as may be. @returns a function to call when the stream ends */
  private async count(quota: NumberName, name: string): Promise<() => void> {
    const network = this.networks.get(name) ?? {
      open: 0,
      elsewhere: 0,
      asked: null,
      askedAt: Number.NEGATIVE_INFINITY,
      telling: undefined,
    };
    this.networks.set(name, network);
    this.change(name, network, 1);
    this.renewal ??= setInterval(() => void this.share([...this.networks.keys()]), renewMs).unref();
    const end = () => this.change(name, network, -1);
    try {
      // Who is over the limit already costs nothing more.
      if (network.open <= limitOf(quota)) await this.refresh(name, network);
      requireRoom(quota, name, network.open - 1 + network.elsewhere);
      return end;
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Tells the others that this process has none any more. */
  async stop(): Promise<void> {
    clearInterval(this.renewal);
    this.renewal = undefined;
    for (const network of this.networks.values()) clearTimeout(network.telling);
    this.networks.clear();
    await pool.query('DELETE FROM live_stream_count WHERE process = $1', [this.process]).catch(() => undefined);
  }

  private change(name: string, network: Network, by: 1 | -1): void {
    network.open += by;
    network.telling ??= setTimeout(() => {
      network.telling = undefined;
      void this.share([name]);
    }, freshMs).unref();
  }

  private async refresh(name: string, network: Network): Promise<void> {
    if (performance.now() - network.askedAt < freshMs) return;
    network.asked ??= this.share([name]).finally(() => {
      network.asked = null;
    });
    await network.asked;
  }

  /**
   * Writes the counts of networks and reads those of the other processes. Without the database, this process counts
   * alone.
   */
  private async share(names: string[]): Promise<void> {
    if (names.length === 0) return;
    const networks = names.map((name) => this.networks.get(name));
    try {
      const { rows } = await pool.query<{ network: string; elsewhere: number }>(SHARE, [
        this.process,
        names,
        networks.map((network) => network?.open ?? 0),
      ]);
      const elsewhere = new Map(rows.map((row) => [row.network, row.elsewhere]));
      for (const [index, network] of networks.entries()) {
        if (!network) continue;
        network.elsewhere = elsewhere.get(names[index] ?? '') ?? 0;
        network.askedAt = performance.now();
        if (network.open === 0 && !network.telling) this.networks.delete(names[index] ?? '');
      }
    } catch (error) {
      logger.warn({ err: error }, 'could not count live streams over all processes');
    }
  }
}

const holder = globalThis as typeof globalThis & { laurelLiveStreams?: LiveStreams };
// Next bundles its own copy of this module; both copies count together.
holder.laurelLiveStreams ??= new LiveStreams();

/** The live streams of this process. */
export const liveStreams = holder.laurelLiveStreams;
