import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { DEFAULT_CIPHERS, TLSSocket } from 'node:tls';

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
 * Bytes of a handshake that are read. Certificates take 3 to 8 KiB. Each signature in a chain is checked, even where nobody
 * trusts it, and a hundred of the slowest hold the process up for a third of a second.
 */
const maxHandshakeBytes = 16 * 1024;

/** Once handshakes took so long in a round of the event loop, the others go on in the next ones. */
const maxRoundMs = 10;
let roundMs = 0;
let nextRoundIsSet = false;
/** What waits for the next rounds, by receiver. */
const waiting = new Map<string, (() => void)[]>();
/** How long the handshakes of each receiver took lately. */
const tookLately = new Map<string, number>();
const latelyMs = 60_000;
let latelySince = 0;

/** Goes on with what waits, first with the receivers that took least: one whose handshakes last delays only its own. */
function nextRound(): void {
  nextRoundIsSet = false;
  roundMs = 0;
  while (roundMs < maxRoundMs && waiting.size > 0) {
    const took = (receiver: string) => tookLately.get(receiver) ?? 0;
    const next = [...waiting.keys()].reduce((least, each) => (took(each) < took(least) ? each : least));
    const works = waiting.get(next) ?? [];
    const first = works.shift();
    if (works.length === 0) waiting.delete(next);
    first?.();
  }
  if (waiting.size > 0) setNextRound();
}

function setNextRound(): void {
  if (nextRoundIsSet) return;
  nextRoundIsSet = true;
  setImmediate(nextRound);
}

function inTurn(receiver: string, work: () => void): void {
  if (roundMs < maxRoundMs && waiting.size === 0) {
    work();
    return;
  }
  setNextRound();
  const works = waiting.get(receiver);
  if (works) works.push(work);
  else waiting.set(receiver, [work]);
}

function count(receiver: string, took: number): void {
  setNextRound();
  roundMs += took;
  if (performance.now() - latelySince > latelyMs) {
    tookLately.clear();
    latelySince = performance.now();
  }
  tookLately.set(receiver, (tookLately.get(receiver) ?? 0) + took);
}

const heldUpMs = new WeakMap<Socket, number>();

/** How long the TLS handshake on a TCP socket has held the process up so far, in milliseconds. */
export const handshakeMs = (transport: Socket): number => heldUpMs.get(transport) ?? 0;

/** @returns how long `work` held the process up; neither what other threads nor what other processes did counts */
function timed(work: () => void): number {
  const [began, before] = [performance.now(), process.cpuUsage()];
  work();
  const { user, system } = process.cpuUsage(before);
  return Math.min(performance.now() - began, (user + system) / 1000);
}

/** A TCP socket as TLS reads it: within limits, which would otherwise count only what was decrypted. */
export class BoundedTransport extends Duplex {
  private secure = false;
  private readonly arrived: Buffer[] = [];

  /**
   * @param receiver host and port
   * @param tooMuch whether more arrived than a response can need
   */
  constructor(
    readonly transport: Socket,
    private readonly receiver: string,
    tooMuch: (transport: Socket) => boolean,
  ) {
    super();
    transport.on('data', (chunk: Buffer) => {
      if (tooMuch(transport) || (!this.secure && transport.bytesRead > maxHandshakeBytes)) {
        this.destroy(new TooManyBytesError());
        return;
      }
      this.arrived.push(chunk);
      transport.pause();
      this.passOn();
    });
    transport.on('end', () => this.push(null));
    transport.on('error', (error) => this.destroy(error));
    transport.on('close', () => this.destroy());
  }

  /** Ends what is limited about a handshake. No other one follows on the connection. */
  finishHandshake(connection: Socket): void {
    this.secure = true;
    if (connection instanceof TLSSocket) connection.disableRenegotiation();
  }

  private passOn(): void {
    if (this.secure) this.pushNext();
    else inTurn(this.receiver, this.shakeHands);
  }

  private readonly shakeHands = (): void => {
    if (this.destroyed || this.arrived.length === 0) return;
    // What TLS does with a chunk, it does at once.
    const took = timed(() => this.pushNext());
    count(this.receiver, took);
    heldUpMs.set(this.transport, handshakeMs(this.transport) + took);
  };

  private pushNext(): void {
    const chunk = this.arrived.shift();
    if (this.push(chunk)) this.transport.resume();
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
