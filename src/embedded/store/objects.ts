import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { StoreError } from './store-error';

export interface ObjectFacts {
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

/** What an upload has to be, else it is not kept. */
export interface Expected {
  key: string;
  contentType: string;
  sizeBytes: number;
  /** Hex digests, each of which has to be that of the bytes. */
  sha256: string[];
}

/** Bytes at a file's end that hold the length of the facts before them. */
const footerBytes = 4;

/**
 * Objects as one file each below a directory: the bytes, then what is known of them, so that both appear at once by a
 * rename and never apart.
 */
export class ObjectFiles {
  private readonly unfinished: string;

  constructor(private readonly directory: string) {
    this.unfinished = path.join(directory, 'unfinished');
  }

  /** Makes the directories, and throws away what an earlier process did not finish. */
  async open(): Promise<void> {
    await rm(this.unfinished, { recursive: true, force: true });
    await mkdir(this.unfinished, { recursive: true, mode: 0o700 });
  }

  /**
   * Keeps the bytes under the key, in the place of what was there, or nothing at all.
   * @throws StoreError when they are not what was expected
   */
  async put(expected: Expected, bytes: AsyncIterable<Buffer>): Promise<ObjectFacts> {
    const part = path.join(this.unfinished, randomBytes(12).toString('hex'));
    try {
      const facts = await this.write(part, expected, bytes);
      const file = this.fileOf(expected.key);
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      await rename(part, file);
      return facts;
    } finally {
      await rm(part, { force: true });
    }
  }

  /**
   * Opens the object: what is known of it, and its bytes as they are at this moment, whatever takes its place meanwhile.
   * `close` is the caller's to call. Null when there is none.
   */
  async get(key: string): Promise<{ facts: ObjectFacts; bytes: () => Readable; close: () => Promise<void> } | null> {
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
    const facts = JSON.parse(described.toString()) as ObjectFacts;
    return {
      facts,
      bytes: () => handle.createReadStream({ start: 0, end: Math.max(facts.sizeBytes - 1, 0), autoClose: false }),
      close: () => handle.close(),
    };
  }

  async delete(key: string): Promise<void> {
    await rm(this.fileOf(key), { force: true });
  }

  private async write(part: string, expected: Expected, bytes: AsyncIterable<Buffer>): Promise<ObjectFacts> {
    const [sha256, md5] = [createHash('sha256'), createHash('md5')];
    const handle = await open(part, 'wx', 0o600);
    try {
      let sizeBytes = 0;
      for await (const chunk of bytes) {
        sizeBytes += chunk.length;
        if (sizeBytes > expected.sizeBytes) break;
        sha256.update(chunk);
        md5.update(chunk);
        await handle.writeFile(chunk);
      }
      if (sizeBytes !== expected.sizeBytes) {
        throw new StoreError(400, 'IncompleteBody', 'The body is not as long as Content-Length says');
      }
      const { key, contentType } = expected;
      const facts = { key, contentType, sizeBytes, sha256: sha256.digest('hex'), md5: md5.digest('hex') };
      if (expected.sha256.some((digest) => digest !== facts.sha256)) {
        throw new StoreError(
          400,
          'XAmzContentSHA256Mismatch',
          'The bytes are not those that the upload was signed for',
        );
      }
      const described = Buffer.from(JSON.stringify({ ...facts, storedAt: new Date().toISOString() }));
      const footer = Buffer.alloc(footerBytes);
      footer.writeUInt32BE(described.length);
      await handle.writeFile(Buffer.concat([described, footer]));
      await handle.sync();
      return JSON.parse(described.toString()) as ObjectFacts;
    } finally {
      await handle.close();
    }
  }

  /** Named by a hash of the key: no key can lead out of the directory, or be too long for a file's name. */
  private fileOf(key: string): string {
    const name = createHash('sha256').update(key).digest('hex');
    return path.join(this.directory, name.slice(0, 2), name);
  }
}
