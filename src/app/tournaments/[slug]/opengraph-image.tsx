import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ImageResponse } from 'next/og';
import { cache } from 'react';
import { formatMoney } from '@/domain/money/money';
import { formatInstant } from '@/domain/time/zones';
import { tournamentPhase } from '@/domain/tournaments/phase';
import { countParticipants, formatLabel, matchSizeLabel } from '@/domain/tournaments/words';
import { loadTournament } from './load-tournament';

export const size = { width: 1200, height: 630 };
export const contentType = 'image/png';
export const alt = 'The tournament: its name, game, start and slots';

const ink = '#f3f5f1';
const muted = '#b9c2bb';
const line = '#3a4746';
const green = '#68dc88';

const fontFiles = [
  { file: 'latin-700', weight: 700 },
  { file: 'latin-ext-700', weight: 700 },
  { file: 'latin-500', weight: 500 },
  { file: 'latin-ext-500', weight: 500 },
] as const;

const loadFonts = cache(() =>
  Promise.all(
    fontFiles.map(async ({ file, weight }) => ({
      name: 'Archivo Narrow',
      weight,
      data: await readFile(
        path.join(process.cwd(), `node_modules/@fontsource/archivo-narrow/files/archivo-narrow-${file}-normal.woff`),
      ),
    })),
  ),
);

/** The path of the wreath in a 24 by 24 view box. */
const loadMark = cache(async () => {
  const svg = await readFile(path.join(process.cwd(), 'public/laurel.svg'), 'utf8');
  return / d="([^"]+)"/.exec(svg)?.[1];
});

/** The text if the bundled fonts have its characters; for others the renderer would download a font from the internet. */
function renderable(text: string): string | null {
  return /^[\u0020-\u024f\u1e00-\u1eff\u2010-\u2027\u20ac]+$/.test(text) ? text : null;
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div style={{ display: 'flex', flexDirection: 'column', marginRight: 64 }}>
      <div style={{ fontSize: 26, fontWeight: 500, color: muted }}>{label}</div>
      <div style={{ fontSize: 44, fontWeight: 700, color: ink }}>{value}</div>
    </div>
  );
}

type Shown = { title: string; facts: string; figures: { label: string; value: string }[] };

async function draw({ title, facts, figures }: Shown): Promise<ImageResponse> {
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
        fontFamily: 'Archivo Narrow',
      }}
    >
      <div style={{ display: 'flex', alignItems: 'center' }}>
        <svg width="56" height="56" viewBox="0 0 24 24" fill={green}>
          <title>Laurel</title>
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

/** Images by what they show: to draw one holds up everybody else's requests for longer than to render a page. */
const images = new Map<string, Promise<{ bytes: ArrayBuffer; headers: [string, string][] }>>();
const maxImages = 200;

async function sharedImage(shown: Shown): Promise<Response> {
  const key = JSON.stringify(shown);
  let image = images.get(key);
  if (!image) {
    image = draw(shown).then(async (response) => ({
      bytes: await response.arrayBuffer(),
      headers: [...response.headers],
    }));
    image.catch(() => images.delete(key));
    const [oldest] = images.keys();
    if (oldest !== undefined && images.size >= maxImages) images.delete(oldest);
    images.set(key, image);
  }
  const { bytes, headers } = await image;
  return new Response(bytes, { headers });
}

/** The image that link previews of the tournament show. */
export default async function TournamentImage({ params }: { params: Promise<{ slug: string }> }) {
  const tournament = await loadTournament((await params).slug);
  const { name, gameName, teamSize, format, startDate, timezone, prizePool } = tournament;
  const { maxParticipants, currentParticipants } = tournament;
  const { phase } = tournamentPhase(tournament, Date.now());
  const left = maxParticipants - currentParticipants;
  const open = ['soon', 'open', 'closed', 'waitlist', 'full', 'check_in'].includes(phase);
  const slots =
    open && left > 0
      ? { label: 'Slots left', value: `${left} of ${maxParticipants}` }
      : { label: 'Participants', value: countParticipants(currentParticipants, teamSize) };
  const title = renderable(name) ?? renderable(gameName) ?? 'Tournament';
  const facts = [renderable(gameName), matchSizeLabel(teamSize), formatLabel(format)].filter(Boolean).join('  ·  ');
  const prize = prizePool && renderable(formatMoney(prizePool));

  const figures = [{ label: 'Start', value: formatInstant(startDate, timezone) }, slots];
  if (prize) figures.push({ label: 'Prize pool', value: prize });
  return sharedImage({ title, facts, figures });
}
