import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { StoreError } from './store-error';

export interface ObjectMetadata {
  key: string;
  contentType: string;
  sizeBytes: number;
  /** Hex. */
  sha256: string;
  /** Hex; S3's ETag. */
  md5: string;
  /** ISO 8601. */
  storedAt: string;
}

/** Some of an object's bytes: the places of the first and the last of them. */
export type Part = { start: number; end: number };

/** What an upload has to match to be stored. */
export interface Expected {
  key: string;
  contentType: string;
  sizeBytes: number;
  /** Hex digests; the bytes have to match each of them. */
  sha256: string[];
}

/** Size of the number at a file's end that gives the length of the metadata before it. */
const footerBytes = 4;

/**
 * Objects as one file each: the bytes, then their metadata, so that both appear together by a rename.
 */
export class ObjectFiles {
  private readonly unfinished: string;
  /** How to end the upload that is under way, by the file it is for. */
  private readonly underWay = new Map<string, () => void>();

  constructor(private readonly directory: string) {
    this.unfinished = path.join(directory, 'unfinished');
  }

  /** Creates the directories and deletes unfinished uploads of an earlier process. */
  async open(): Promise<void> {
    await rm(this.unfinished, { recursive: true, force: true });
    await mkdir(this.unfinished, { recursive: true, mode: 0o700 });
  }

  /**
   * Stores the bytes under the key, replacing what was there, or changes nothing. Ends an upload to the same key that is
   * under way: a signed address allows any number, and each would keep what it has sent on the disk. Of bytes that are
   * there already nothing is written again, since each time would keep the disk busy.
   * @param stop has `bytes` fail
   * @throws StoreError when they do not match what was expected
   */
  async put(expected: Expected, bytes: AsyncIterable<Buffer>, stop: () => void): Promise<ObjectMetadata> {
    const stored = await this.find(expected);
    if (stored) {
      await receive(expected, bytes, async () => undefined);
      return stored;
    }
    const part = path.join(this.unfinished, randomBytes(12).toString('hex'));
    const file = this.fileOf(expected.key);
    this.underWay.get(file)?.();
    this.underWay.set(file, stop);
    try {
      const metadata = await this.write(part, expected, bytes);
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      await rename(part, file);
      return metadata;
    } finally {
      if (this.underWay.get(file) === stop) this.underWay.delete(file);
      await rm(part, { force: true });
    }
  }

  /**
   * Opens the object: its metadata and its bytes as of now, even if it is replaced while reading. The caller calls
   * `close`, and asks for no bytes of an empty one. Null when there is none.
   */
  async get(
    key: string,
  ): Promise<{ metadata: ObjectMetadata; bytes: (part: Part) => Readable; close: () => Promise<void> } | null> {
    const handle = await open(this.fileOf(key), 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (!handle) return null;
    const { size } = await handle.stat();
    const footer = Buffer.alloc(footerBytes);
    await handle.read(footer, 0, footerBytes, size - footerBytes);
    const described = Buffer.alloc(footer.readUInt32BE());
    await handle.read(described, 0, described.length, size - footerBytes - described.length);
    const metadata = JSON.parse(described.toString()) as ObjectMetadata;
    return {
      metadata,
      bytes: ({ start, end }) => handle.createReadStream({ start, end, autoClose: false }),
      close: () => handle.close(),
    };
  }

  async delete(key: string): Promise<void> {
    await rm(this.fileOf(key), { force: true });
  }

  /** What is stored under the key if it is what was expected; null where it is not, or where any bytes would match. */
  private async find({ key, contentType, sizeBytes, sha256 }: Expected): Promise<ObjectMetadata | null> {
    const found = sha256.length > 0 ? await this.get(key) : null;
    if (!found) return null;
    await found.close();
    const { metadata } = found;
    const isSame =
      metadata.contentType === contentType &&
      metadata.sizeBytes === sizeBytes &&
      sha256.every((digest) => digest === metadata.sha256);
    return isSame ? metadata : null;
  }

  private async write(part: string, expected: Expected, bytes: AsyncIterable<Buffer>): Promise<ObjectMetadata> {
    const handle = await open(part, 'wx', 0o600);
    try {
      const digests = await receive(expected, bytes, (chunk) => handle.writeFile(chunk));
      const { key, contentType, sizeBytes } = expected;
      const metadata = { key, contentType, sizeBytes, ...digests, storedAt: new Date().toISOString() };
      const described = Buffer.from(JSON.stringify(metadata));
      const footer = Buffer.alloc(footerBytes);
      footer.writeUInt32BE(described.length);
      await handle.writeFile(Buffer.concat([described, footer]));
      await handle.sync();
      return metadata;
    } finally {
      await handle.close();
    }
  }

  /** Named by a hash of the key, so that no key can leave the directory or be too long for a file name. */
  private fileOf(key: string): string {
    const name = createHash('sha256').update(key).digest('hex');
    return path.join(this.directory, name.slice(0, 2), name);
  }
}

/**
 * Reads what is uploaded, and keeps each chunk.
 * @returns its digests, in hex
 * @throws StoreError when it does not match what was expected
 */
async function receive(
  expected: Expected,
  bytes: AsyncIterable<Buffer>,
  keep: (chunk: Buffer) => Promise<void>,
): Promise<{ sha256: string; md5: string }> {
  const [sha256, md5] = [createHash('sha256'), createHash('md5')];
  let sizeBytes = 0;
  for await (const chunk of bytes) {
    sizeBytes += chunk.length;
    if (sizeBytes > expected.sizeBytes) break;
    sha256.update(chunk);
    md5.update(chunk);
    await keep(chunk);
  }
  if (sizeBytes !== expected.sizeBytes) {
    throw new StoreError(400, 'IncompleteBody', 'The body is shorter or longer than Content-Length');
  }
  const digests = { sha256: sha256.digest('hex'), md5: md5.digest('hex') };
  if (expected.sha256.some((digest) => digest !== digests.sha256)) {
    throw new StoreError(400, 'XAmzContentSHA256Mismatch', 'The bytes do not match the signed SHA-256');
  }
  return digests;
}
