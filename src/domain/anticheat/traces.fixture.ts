import type { Report } from './reports';
import type { Window } from './rules';

/** A random number generator with a seed (mulberry32), so that every trace can be made again. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** What makes a player different from the usual one. */
export type Habits = {
  reactionMs?: [mean: number, spread: number];
  /** Shots at corners that were fired before the target could be seen, as a share. */
  luckyShots?: number;
  /** How fast the view turns at most, in degrees per millisecond. */
  turnSpeed?: number;
  snapShare?: number;
  /** Mean and relative spread of the intervals between presses. */
  presses?: { meanMs: number; spread: number };
  processes?: string[];
  changedModule?: boolean;
  clockOffsetMs?: number;
  /** The clock is set ahead by so much halfway. */
  clockJumpMs?: number;
  /** From a third of the window on nothing arrives for this long; then all of it at once. */
  lagMs?: number;
  /** The machine sleeps this long halfway: nothing is reported, and its clock goes on. */
  sleepMs?: number;
  /** The client stops at this share of the window. */
  silentFrom?: number;
};

/** A minute of a player's reports, five in a second. */
export function traceOf(seed: number, habits: Habits = {}, start = 1_700_000_000_000): Window {
  const random = randomOf(seed);
  const gauss = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const [reaction, reactionSpread] = habits.reactionMs ?? [215, 35];
  const press = habits.presses ?? { meanMs: 140, spread: 0.18 };
  const end = start + 60_000;
  const reports: Report[] = [];
  let receivedAt = start;
  let sequence = 0;
  for (let since = 0; since < 60_000; since += 200) {
    const real = start + since;
    if (habits.sleepMs !== undefined && since >= 30_000 && since < 30_000 + habits.sleepMs) continue;
    if (habits.silentFrom !== undefined && since >= habits.silentFrom * 60_000) break;
    const jumped = habits.clockJumpMs !== undefined && since >= 30_000 ? habits.clockJumpMs : 0;
    const at = real + (habits.clockOffsetMs ?? 0) + jumped;
    const isHeld = habits.lagMs !== undefined && since >= 20_000 && since < 20_000 + habits.lagMs;
    const arrives = isHeld ? start + 20_000 + (habits.lagMs ?? 0) : real + 20 + random() * 60;
    receivedAt = Math.max(receivedAt, arrives);
    sequence += 1;
    const common = { sequence, at, receivedAt };
    const turn = sequence % 5;
    if (turn === 0) {
      const lucky = random() < (habits.luckyShots ?? 0.06);
      const ms = lucky ? random() * 60 : Math.max(habits.reactionMs ? 5 : 140, reaction + gauss() * reactionSpread);
      reports.push({ ...common, kind: 'reaction', data: { ms } });
    } else if (turn === 1) {
      const degrees = 5 + random() * 80;
      const isSnap = random() < (habits.snapShare ?? 0);
      const speed = habits.turnSpeed ?? 0.6;
      const durationMs = isSnap ? 2 + random() * 8 : degrees / (speed * (0.4 + 0.6 * random()));
      reports.push({ ...common, kind: 'aim', data: { degrees, durationMs, hit: isSnap || random() < 0.5 } });
    } else if (turn === 2) {
      const intervalsMs = [0, 1, 2].map(() => Math.max(30, press.meanMs * (1 + press.spread * gauss())));
      reports.push({ ...common, kind: 'input', data: { control: 'jump', intervalsMs } });
    } else if (turn === 3) {
      const names = habits.processes ?? ['discord.exe', 'obs64.exe', 'chrome.exe'];
      reports.push({ ...common, kind: 'process', data: { name: names[sequence % names.length] ?? 'discord.exe' } });
    } else {
      const isOverlay = random() < 0.3;
      const sha256 = habits.changedModule && since > 30_000 ? 'b'.repeat(64) : 'a'.repeat(64);
      const expectedSha256 = isOverlay ? null : 'a'.repeat(64);
      reports.push({ ...common, kind: 'module', data: { name: 'engine.dll', sha256, expectedSha256 } });
    }
  }
  return { start, end, reports, lastHeardAt: reports.at(-1)?.receivedAt ?? null, clockAhead: null };
}
