import type { OnReadOpts, Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { DEFAULT_CIPHERS, TLSSocket } from 'node:tls';
import { HandshakeTurns } from '@/server/delivery/outbound/handshake-turns';

/** The other side sent more than a response can need. */
export class TooManyBytesError extends Error {
  constructor() {
    super('The response has too many bytes');
    this.name = 'TooManyBytesError';
  }
}

/**
 * Key exchanges whose cost the server does not decide. With DHE it names the numbers, and those of 10,000 bits hold the
 * process up for most of a second, whatever its certificate.
 */
export const keyExchange = { ciphers: `${DEFAULT_CIPHERS}:!kDHE`, ecdhCurve: 'X25519:P-256:P-384:P-521' };

/**
 * Bytes of a handshake that are read. Chains of certificates take 2 to 6 KiB, the largest usual ones 8, and the rest takes 1. Each
 * signature in a chain is checked, even where nobody trusts it, and 50 of the slowest hold the process up for a fifth of a second.
 */
const maxHandshakeBytes = 10 * 1024;

/**
 * Bytes of one response that TLS may keep to itself: what frames the records, of which one may be incomplete, and session
 * tickets. Changes of the key take 7 milliseconds for a thousand, and the other side may send as many as it likes.
 */
const maxOverheadBytes = 32 * 1024;
/**
 * The same for everything on a connection, its handshake included; past it, the connection is closed after a response. Ordinary
 * responses take about 50 bytes each, so it carries a thousand of them.
 */
const maxConnectionOverheadBytes = 64 * 1024;
/**
 * Bytes of one response before its final head has been read. A head has 16 KiB at most, but each interim response has one, and
 * those that are full of short lines take 3 milliseconds.
 */
const maxBytesBeforeHead = 32 * 1024;
/** So much is passed on at once, so that a flood ends soon after it has become one. */
const sliceBytes = 4 * 1024;

/**
 * Whoever sends in pieces of less than so many bytes has so many of a response, or of a handshake, read as they come. Before each further
 * one, more of it is left to arrive for a tenth of the time that it has taken: to read a byte costs as much as to read thousands, and
 * hundreds of receivers that send one at a time would take the whole thread.
 */
const small = { bytes: 512, pieces: 8, rest: 0.1, maxRestMs: 500 };

/** For all sockets: what one has read is copied before the next one reads. */
const arriving = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * How a TCP socket reads. Otherwise one that is paused reads on, a piece of memory for each packet, until it has 64 KiB, and passes them on
 * one by one.
 * @param socketOf the socket that is made with it
 */
export const reading = (socketOf: () => Socket): OnReadOpts => ({
  buffer: arriving,
  callback: (bytes) => {
    socketOf().emit('data', Buffer.from(arriving.subarray(0, bytes)));
    return true;
  },
});

/** What follows handshakes takes turns of its own, so that costly certificates delay no responses. */
const turns = { handshakes: new HandshakeTurns(), responses: new HandshakeTurns() };

/** Notes whose turn the connections of a project take: see `projectTurnSql`. */
export function takeTurnsAs(projectId: string, turn: string): void {
  for (const each of Object.values(turns)) each.belongs(projectId, turn);
}

const heldUpMs = new WeakMap<Socket, number>();

/** How long TLS on a TCP socket, from the handshake on, has held the process up so far, in milliseconds. */
export const tlsMs = (transport: Socket): number => heldUpMs.get(transport) ?? 0;

/** @returns how long `work` held the process up; neither what other threads nor what other processes did counts */
function timed(work: () => void): number {
  const [began, before] = [performance.now(), process.cpuUsage()];
  work();
  const { user, system } = process.cpuUsage(before);
  return Math.min(performance.now() - began, (user + system) / 1000);
}

/**
 * A TCP socket as TLS reads it or, without TLS, what parses responses: in turns, and within limits, which would otherwise count
 * only what was decrypted.
 */
export class BoundedTransport extends Duplex {
  /** What responses are read from: the connection over TLS once its handshake has ended, or this itself. */
  private connection: Duplex | null;
  private readonly arrived: Buffer[] = [];
  /** What to do once all of that has been passed on. */
  private readonly last: (() => void)[] = [];
  /** Bytes that were passed on so far. */
  passedOn = 0;
  private overheadBefore = 0;
  private turnsMs = 0;
  private turnsMsBefore = 0;
  /** Pieces that were small, of this response or of the handshake. */
  private smallPieces = 0;
  private countedSince = performance.now();
  private resting: NodeJS.Timeout | undefined;
  /** What had been passed on when the request was sent whose final head has not been read; null: there is none. */
  private headFrom: number | null = null;

  /**
   * @param owner who takes the turns: the project, or host and port where there is none
   * @param endFlood ends the connection if more arrived than is allowed, and returns whether it did
   * @param isSecure whether TLS reads it
   */
  constructor(
    readonly transport: Socket,
    private readonly owner: string,
    endFlood: (transport: Socket, connection: Duplex) => boolean,
    private readonly isSecure = true,
  ) {
    super();
    this.connection = isSecure ? null : this;
    transport.on('data', (chunk: Buffer) => {
      if (endFlood(transport, this.connection ?? this)) return;
      if (!this.connection && transport.bytesRead > maxHandshakeBytes) {
        this.destroy(new TooManyBytesError());
        return;
      }
      transport.pause();
      if (chunk.byteLength < small.bytes) this.smallPieces += 1;
      this.passOn(chunk);
    });
    transport.on('end', () => this.oncePassedOn(() => this.push(null)));
    transport.on('error', (error) => this.oncePassedOn(() => this.destroy(error)));
    transport.on('close', () => this.oncePassedOn(() => this.destroy()));
  }

  /** Ends what is limited about a handshake. No other one follows on the connection. */
  finishHandshake(connection: Socket): void {
    this.connection = connection;
    turns.handshakes.end(this.owner, tlsMs(this.transport));
    if (connection instanceof TLSSocket) connection.disableRenegotiation();
  }

  /** Begins to count what arrives as the response to a new request. */
  countResponse(): void {
    this.overheadBefore = this.overhead;
    this.turnsMsBefore = this.turnsMs;
    this.headFrom = this.passedOn;
    this.countPieces();
  }

  /** Begins to count small pieces anew, and reads on at once. */
  private countPieces(): void {
    this.smallPieces = 0;
    this.countedSince = performance.now();
    if (!this.resting) return;
    clearTimeout(this.resting);
    this.resting = undefined;
    this.readOn();
  }

  /** Notes that the final head of the response has been read. */
  endHead(): void {
    this.headFrom = null;
  }

  /** Notes that the response has ended. */
  endResponse(): void {
    // Whether the other side closes the connection has to be known before it carries another request.
    this.countPieces();
    const before = this.turnsMsBefore;
    // The turn in which it ended is still being taken.
    queueMicrotask(() => turns.responses.end(this.owner, this.turnsMs - before));
  }

  /** Whether TLS has kept so much to itself that the connection may carry no other response. */
  get isUsedUp(): boolean {
    return this.overhead > maxConnectionOverheadBytes;
  }

  /** Bytes that were passed on to TLS and that it has not passed on as a part of a response. */
  private get overhead(): number {
    if (!(this.connection instanceof TLSSocket)) return 0;
    return this.passedOn - this.readableLength - this.connection.bytesRead;
  }

  /** Passes on what has arrived, slice by slice, each when it is its turn. */
  private passOn(chunk: Buffer): void {
    for (let at = 0; at < chunk.byteLength; at += sliceBytes) this.arrived.push(chunk.subarray(at, at + sliceBytes));
    for (let count = this.arrived.length; count > 0; count -= 1) {
      const { handshakes, responses } = turns;
      (this.connection ? responses : handshakes).goOn(this.owner, () => this.pushTimed());
    }
  }

  /** A response that has arrived counts, even if the other side closes or resets the connection before its turn. */
  private oncePassedOn(act: () => void): void {
    if (this.arrived.length === 0) act();
    else this.last.push(act);
  }

  private pushTimed(): number {
    if (this.destroyed || this.arrived.length === 0) return 0;
    // What TLS does with a slice, it does at once.
    const passMs = timed(() => this.pushNext());
    if (this.isSecure) heldUpMs.set(this.transport, tlsMs(this.transport) + passMs);
    const tookMs = passMs + timed(() => this.parse());
    this.turnsMs += tookMs;
    if (this.arrived.length === 0) for (const act of this.last.splice(0)) act();
    return tookMs;
  }

  /** Has the response parsed as far as it was passed on: by itself that would begin after the turns of all. */
  private parse(): void {
    const { connection } = this;
    if (!connection || connection.destroyed) return;
    connection.emit('readable');
    if (this.headFrom !== null && this.passedOn - this.headFrom > maxBytesBeforeHead)
      connection.destroy(new TooManyBytesError());
  }

  private pushNext(): void {
    const slice = this.arrived.shift() ?? Buffer.alloc(0);
    this.passedOn += slice.byteLength;
    const wantsMore = this.push(slice);
    if (this.overhead - this.overheadBefore > maxOverheadBytes) this.destroy(new TooManyBytesError());
    else if (wantsMore && this.arrived.length === 0) this.readOn();
  }

  override _read(): void {
    if (this.arrived.length === 0) this.readOn();
  }

  /** Has more be read, at once or after a rest. */
  private readOn(): void {
    if (this.resting) return;
    if (this.smallPieces <= small.pieces) {
      this.transport.resume();
      return;
    }
    const tookMs = performance.now() - this.countedSince;
    this.resting = setTimeout(
      () => {
        this.resting = undefined;
        this.transport.resume();
      },
      Math.min(tookMs * small.rest, small.maxRestMs),
    );
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.transport.write(chunk, callback);
  }

  /** Head and body of a request in one packet. */
  override _writev(chunks: { chunk: Buffer }[], callback: (error?: Error | null) => void): void {
    this.transport.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), callback);
  }

  override _final(callback: () => void): void {
    this.transport.end(callback);
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    clearTimeout(this.resting);
    this.transport.destroy();
    callback(error);
  }
}
