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

/** How evidence is shown: an image, a video, text; anything else is only downloaded. */
export type EvidenceView = 'image' | 'video' | 'text' | 'download';

const among = (types: readonly string[], contentType: string) => types.includes(contentType);

/** How evidence of a content type is shown. */
export function viewOf(contentType: string): EvidenceView {
  if (among(images, contentType)) return 'image';
  if (among(videos, contentType)) return 'video';
  return among(texts, contentType) ? 'text' : 'download';
}

const endings: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'application/zip': 'zip',
  'application/gzip': 'gz',
  'application/pdf': 'pdf',
  'text/plain': 'txt',
  'application/json': 'json',
};

/** The name of a file that is downloaded: `evidence-med_….png`. */
export function fileNameOf(mediaFileId: string, contentType: string): string {
  return `evidence-${mediaFileId}.${endings[contentType] ?? 'bin'}`;
}
