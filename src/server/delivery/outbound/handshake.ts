import type { Socket } from 'node:net';
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
/** So much is passed on at once, so that a flood ends soon after it has become one. */
const sliceBytes = 4 * 1024;

/** What follows handshakes takes turns of its own, so that costly certificates delay no responses. */
const turns = { handshakes: new HandshakeTurns(), responses: new HandshakeTurns() };

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

/** A TCP socket as TLS reads it: within limits, which would otherwise count only what was decrypted. */
export class BoundedTransport extends Duplex {
  /** The connection, once its handshake has ended. */
  private secure: Socket | null = null;
  private readonly arrived: Buffer[] = [];
  /** What to do once all of that has been passed on. */
  private last: (() => void) | null = null;
  /** Bytes that TLS has been given. */
  passedOn = 0;
  private overheadBefore = 0;
  private tlsMsBefore = 0;

  /**
   * @param owner who takes the turns: the project, or host and port where there is none
   * @param endFlood ends the connection if more arrived than is allowed, and returns whether it did
   */
  constructor(
    readonly transport: Socket,
    private readonly owner: string,
    endFlood: (transport: Socket, connection: Duplex) => boolean,
  ) {
    super();
    transport.on('data', (chunk: Buffer) => {
      if (endFlood(transport, this.secure ?? this)) return;
      if (!this.secure && transport.bytesRead > maxHandshakeBytes) {
        this.destroy(new TooManyBytesError());
        return;
      }
      transport.pause();
      this.passOn(chunk);
    });
    transport.on('end', () => this.push(null));
    transport.on('error', (error) => this.destroyOncePassedOn(error));
    transport.on('close', () => this.destroyOncePassedOn());
  }

  /** Ends what is limited about a handshake. No other one follows on the connection. */
  finishHandshake(connection: Socket): void {
    this.secure = connection;
    turns.handshakes.end(this.owner, tlsMs(this.transport));
    if (connection instanceof TLSSocket) connection.disableRenegotiation();
  }

  /** Begins to count what arrives as the response to a new request. */
  countResponse(): void {
    this.overheadBefore = this.overhead;
    this.tlsMsBefore = tlsMs(this.transport);
  }

  /** Notes that the response has ended. */
  endResponse(): void {
    turns.responses.end(this.owner, tlsMs(this.transport) - this.tlsMsBefore);
  }

  /** Whether TLS has kept so much to itself that the connection may carry no other response. */
  get isUsedUp(): boolean {
    return this.overhead > maxConnectionOverheadBytes;
  }

  /** Bytes that were passed on to TLS and that it has not passed on as a part of a response. */
  private get overhead(): number {
    return this.passedOn - this.readableLength - (this.secure?.bytesRead ?? 0);
  }

  /** Passes on what has arrived, slice by slice, each when it is its turn. */
  private passOn(chunk: Buffer): void {
    for (let at = 0; at < chunk.byteLength; at += sliceBytes) this.arrived.push(chunk.subarray(at, at + sliceBytes));
    for (let count = this.arrived.length; count > 0; count -= 1) {
      const { handshakes, responses } = turns;
      (this.secure ? responses : handshakes).goOn(this.owner, () => this.pushTimed());
    }
  }

  /** A response that has arrived counts, even if the other side resets the connection before its turn. */
  private destroyOncePassedOn(error?: Error): void {
    if (this.arrived.length === 0) this.destroy(error);
    else this.last ??= () => this.destroy(error);
  }

  private pushTimed(): number {
    if (this.destroyed || this.arrived.length === 0) return 0;
    // What TLS does with a slice, it does at once.
    const tookMs = timed(() => this.pushNext());
    heldUpMs.set(this.transport, tlsMs(this.transport) + tookMs);
    if (this.arrived.length === 0) this.last?.();
    return tookMs;
  }

  private pushNext(): void {
    const slice = this.arrived.shift() ?? Buffer.alloc(0);
    this.passedOn += slice.byteLength;
    const wantsMore = this.push(slice);
    if (this.secure && this.overhead - this.overheadBefore > maxOverheadBytes) this.destroy(new TooManyBytesError());
    else if (wantsMore && this.arrived.length === 0) this.transport.resume();
  }

  override _read(): void {
    if (this.arrived.length === 0) this.transport.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.transport.write(chunk, callback);
  }

  override _final(callback: () => void): void {
    this.transport.end(callback);
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.transport.destroy();
    callback(error);
  }
}
