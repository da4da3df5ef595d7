import fc from 'fast-check';
import { expect, test } from 'vitest';
import { imageTypeOf } from './images';

const bytes = (...parts: (string | Buffer)[]) =>
  new Uint8Array(Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part))));
const hex = (text: string) => Buffer.from(text, 'hex');
const uint32 = (value: number) => hex(value.toString(16).padStart(8, '0'));
const box = (type: string, ...parts: (string | Buffer)[]) => {
  const inner = bytes(...parts);
  return Buffer.concat([uint32(inner.length + 8), Buffer.from(type), inner]);
};

const png = (width: number, height: number) =>
  bytes(hex('89504e470d0a1a0a'), uint32(13), 'IHDR', uint32(width), uint32(height), hex('0806000000'));
const jpeg = (width: number, height: number) =>
  bytes(hex('ffd8ffe000104a46494600010100000100010000ffc0001108'), uint32(height * 65_536 + width), hex('03'));
const webp = (width: number, height: number) => {
  const head = Buffer.concat([Buffer.from('RIFF____WEBPVP8X'), hex('0a00000000000000'), Buffer.alloc(6)]);
  head.writeUIntLE(width - 1, 24, 3);
  head.writeUIntLE(height - 1, 27, 3);
  return bytes(head);
};
const avif = (width: number, height: number) =>
  bytes(
    box('ftyp', 'avif', uint32(0), 'avif'),
    box(
      'meta',
      uint32(0),
      box('pitm', uint32(0), hex('0001')),
      box(
        'iprp',
        box('ipco', box('ispe', uint32(0), uint32(width), uint32(height))),
        box('ipma', uint32(0), uint32(1), hex('00010101')),
      ),
    ),
  );

test.each([
  ['image/png', png],
  ['image/jpeg', jpeg],
  ['image/webp', webp],
  ['image/avif', avif],
] as const)('%s is known by its bytes, and has at most 50 million pixels', (type, image) => {
  expect(imageTypeOf(image(10_000, 5_000))).toBe(type);
  expect(imageTypeOf(image(10_000, 5_001))).toBe('too many pixels');
  expect(imageTypeOf(image(16_384, 1))).toBe(type);
  expect(imageTypeOf(image(16_385, 1))).toBe('too many pixels');
});

test('what browsers would show under another name is no image', () => {
  for (const other of ['GIF89a\x04\0\x04\0', 'BM', '<svg xmlns="http://www.w3.org/2000/svg"/>', '<html>', '']) {
    expect(imageTypeOf(bytes(other))).toBe('no image');
  }
});

test.each(['ffd0', 'ffd7', 'ff00', 'ffffd0'])(
  'a JPEG with the stray marker %s, from which one comes to a smaller frame in a comment, is no image',
  (stray) => {
    const frame = (side: number) => Buffer.from(bytes(hex('ffc0001108'), uint32(side * 65_536 + side), hex('03')));
    const comment = (length: number) =>
      Buffer.concat([hex('fffe'), hex(length.toString(16).padStart(4, '0')), Buffer.alloc(length - 2)]);
    const image = (start: string) =>
      Buffer.concat([hex(`ffd8${start}`), comment(60_000), comment(20_000), frame(16_000)]);
    const tricky = image(stray);
    // The first two bytes of the comment behind the marker, as a length.
    frame(10).copy(tricky, 2 + stray.length / 2 + 0xfffe);
    expect(imageTypeOf(new Uint8Array(tricky))).toBe('no image');
    expect(imageTypeOf(new Uint8Array(image('')))).toBe('too many pixels');
  },
);

test('no bytes make it throw', () => {
  const start = fc.constantFrom(png(1, 1), jpeg(1, 1), webp(1, 1), avif(1, 1));
  fc.assert(
    fc.property(start, fc.nat(150), fc.uint8Array({ maxLength: 150 }), (image, at, noise) => {
      const broken = new Uint8Array(Math.max(image.length, at + noise.length));
      broken.set(image);
      broken.set(noise, at);
      expect(imageTypeOf(broken)).toMatch(/^(image\/|no image|too many pixels)/);
    }),
  );
  const manyAssociations = box('ipma', uint32(0), uint32(300_000), Buffer.alloc(900_000));
  const avifOfMany = bytes(box('ftyp', 'avif', uint32(0)), box('meta', uint32(0), box('iprp', manyAssociations)));
  expect(imageTypeOf(avifOfMany)).toBe('no image');
});
