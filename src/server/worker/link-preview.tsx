import { readFile } from 'node:fs/promises';
import path from 'node:path';
// The worker thread loads it as Node finds it.
import { ImageResponse } from 'next/og.js';
import { offload } from './offload';

/** In pixels. */
const size = { width: 1200, height: 630 };

const ink = '#f3f5f1';
const muted = '#b9c2bb';
const line = '#3a4746';
const green = '#68dc88';

const subsets = ['latin', 'latin-ext', 'vietnamese'] as const;
/** Each file has a name of its own: of two with one name and weight, the renderer takes one for all characters. */
const familyOf = (subset: (typeof subsets)[number]) => `Archivo Narrow ${subset}`;

const loadFonts = () =>
  Promise.all(
    subsets.flatMap((subset) =>
      ([500, 700] as const).map(async (weight) => ({
        name: familyOf(subset),
        weight,
        data: await readFile(
          path.join(
            process.cwd(),
            `node_modules/@fontsource/archivo-narrow/files/archivo-narrow-${subset}-${weight}-normal.woff`,
          ),
        ),
      })),
    ),
  );

/** The path of the wreath in a 24 by 24 view box. */
async function loadMark(): Promise<string | undefined> {
  const svg = await readFile(path.join(process.cwd(), 'public/laurel.svg'), 'utf8');
  return / d="([^"]+)"/.exec(svg)?.[1];
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div style={{ display: 'flex', flexDirection: 'column', marginRight: 64 }}>
      <div style={{ fontSize: 26, fontWeight: 500, color: muted }}>{label}</div>
      <div style={{ fontSize: 44, fontWeight: 700, color: ink }}>{value}</div>
    </div>
  );
}

/** What the preview of a link shows. */
export type LinkPreview = { title: string; facts: string; figures: { label: string; value: string }[] };

async function draw({ title, facts, figures }: LinkPreview): Promise<ImageResponse> {
  return new ImageResponse(
    <div
      style={{
        width: '100%',
        height: '100%',
        display: 'flex',
        flexDirection: 'column',
        justifyContent: 'space-between',
        padding: '56px 64px',
        backgroundColor: '#0a1010',
        color: ink,
        fontFamily: subsets.map(familyOf).join(', '),
      }}
    >
      <div style={{ display: 'flex', alignItems: 'center' }}>
        <svg width="56" height="56" viewBox="0 0 24 24" fill={green} aria-hidden="true">
          <path d={await loadMark()} />
        </svg>
        <div style={{ marginLeft: 16, fontSize: 44, fontWeight: 700 }}>Laurel</div>
      </div>
      <div style={{ display: 'flex', flexDirection: 'column' }}>
        <div
          style={{
            fontSize: title.length > 48 ? 64 : 88,
            fontWeight: 700,
            lineHeight: 1.05,
            lineClamp: 3,
            display: 'block',
            wordBreak: 'break-word',
          }}
        >
          {title}
        </div>
        <div style={{ marginTop: 20, fontSize: 34, fontWeight: 500, color: muted }}>{facts}</div>
      </div>
      <div style={{ display: 'flex', borderTop: `2px solid ${line}`, paddingTop: 28, position: 'relative' }}>
        <div style={{ position: 'absolute', top: -2, left: 0, width: 120, height: 4, backgroundColor: green }} />
        {figures.map(({ label, value }) => (
          <Figure key={label} label={label} value={value} />
        ))}
      </div>
    </div>,
    { ...size, fonts: await loadFonts() },
  );
}

/** Draws the image as a PNG, which takes long enough to hold up everybody else's requests. */
export const drawLinkPreview = offload(
  'link preview',
  async (shown: LinkPreview): Promise<{ body: Uint8Array<ArrayBuffer> }> => {
    const image = await draw(shown);
    return { body: new Uint8Array(await image.arrayBuffer()) };
  },
);
