import { readFileSync } from 'node:fs';
import { wcagContrast } from 'culori';
import { describe, expect, it } from 'vitest';

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8');
const tokens = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((oklch\([^)]+\)), (oklch\([^)]+\))\)/g)].map(([, name, light, dark]) => [
    name,
    { light: String(light), dark: String(dark) },
  ]),
);

function contrast(theme: 'light' | 'dark', text: string, ground: string): number {
  const [front, back] = [tokens.get(text), tokens.get(ground)];
  if (!front || !back) throw new Error(`No token ${text} or ${ground}`);
  return wcagContrast(front[theme], back[theme]);
}

const grounds = ['page', 'surface', 'raised', 'sunken', 'hover'];
const inTables = ['ink', 'muted', 'accent', 'gold', 'danger', 'live'];
const onFills: [string, string][] = [
  ['on-accent', 'accent-fill'],
  ['on-accent', 'accent-fill-hover'],
  ['on-danger', 'danger-fill'],
  ['on-danger', 'danger-fill-hover'],
  ['accent', 'accent-soft'],
  ['gold', 'gold-soft'],
  ['danger', 'danger-soft'],
  ['live', 'live-soft'],
  ['ink', 'accent-soft'],
  ['ink', 'danger-soft'],
  ['ink', 'live-soft'],
];

describe.each(['light', 'dark'] as const)('%s theme', (theme) => {
  it.each(grounds.map((ground) => [ground]))('faint text reads on %s', (ground) => {
    expect(contrast(theme, 'faint', ground)).toBeGreaterThanOrEqual(4.5);
  });

  it.each(inTables.flatMap((text) => ['page', 'surface', 'hover'].map((ground) => [text, ground] as const)))(
    '%s on %s reads in a dense table',
    (text, ground) => {
      expect(contrast(theme, text, ground)).toBeGreaterThanOrEqual(text === 'ink' || text === 'muted' ? 7 : 5.5);
    },
  );

  it.each(['ink', 'muted', 'accent', 'gold', 'danger', 'live'])('%s reaches 7:1 on a table row', (text) => {
    expect(contrast(theme, text, 'surface')).toBeGreaterThanOrEqual(7);
  });

  it.each(onFills)('%s reads on %s', (text, ground) => {
    expect(contrast(theme, text, ground)).toBeGreaterThanOrEqual(4.5);
  });

  it.each(['page', 'surface', 'raised', 'sunken'])('the edge of a control and the focus ring show on %s', (ground) => {
    expect(contrast(theme, 'line-strong', ground)).toBeGreaterThanOrEqual(3);
    expect(contrast(theme, 'accent', ground)).toBeGreaterThanOrEqual(3);
  });
});
