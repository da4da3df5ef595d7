const images = ['image/png', 'image/jpeg', 'image/webp'] as const;
const videos = ['video/mp4', 'video/webm'] as const;
const binaries = ['application/octet-stream', 'application/zip', 'application/gzip'] as const;
const texts = ['text/plain', 'application/json'] as const;

/** The kinds of evidence, and the content types that each can have. None of them can run in a browser. */
export const evidenceTypes = {
  screenshot: images,
  video: videos,
  demo: binaries,
  log: [...texts, 'application/gzip'],
  process_list: texts,
  other: [...images, ...videos, ...binaries, ...texts, 'application/pdf'],
} as const satisfies Record<string, readonly string[]>;

export type EvidenceKind = keyof typeof evidenceTypes;
export const evidenceKinds = Object.keys(evidenceTypes) as [EvidenceKind, ...EvidenceKind[]];

/** The largest file, in bytes. */
export const maxEvidenceBytes = 100 * 1024 * 1024;
