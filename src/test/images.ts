import { randomBytes } from 'node:crypto';

/** The bytes of a PNG image of this size, `sizeBytes` long: its header is right, the rest is random. */
export function png(sizeBytes: number, { width = 4, height = 4 } = {}): Buffer<ArrayBuffer> {
  const bytes = randomBytes(sizeBytes);
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(bytes);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}
