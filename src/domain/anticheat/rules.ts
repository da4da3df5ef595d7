import type { AntiCheatGame } from './games';
import { dataOf, isChangedFile, type Report } from './reports';

/** One player's client in one window of a session. Times are milliseconds of the server's clock. */
export type Window = {
  start: number;
  /** When the window ends, or now while it is open. */
  end: number;
  /** Those received in the window, in the order of their sequence. */
  reports: readonly Report[];
  /**
   * The last heartbeat or report that was received; null: none since the session began, the client need not run, or its silence
   * since then is raised already.
   */
  lastHeardAt: number | null;
  /** How far the client's clock was ahead of ours at most before the window; null: not known yet. */
  clockAhead: number | null;
};

export type Severity = 'low' | 'medium' | 'high' | 'critical';

/** A number that an organizer can change. */
export type Threshold = { standard: number; min: number; max: number; unit: string; meaning: string };

/** What a rule found: a sentence that a person can check, and the figures it stands on. */
export type Finding = { explanation: string; figures: Record<string, number | string | string[]> };

export type Rule<Names extends string = string> = {
  name: string;
  severity: Severity;
  games: readonly AntiCheatGame[];
  /** What it detects, and why honest players do not trip it. */
  description: string;
  /**
   * Whether an open window can already be judged: no later report takes its finding back. The others wait until the window
   * is closed, so that what they find does not depend on when they look.
   */
  early: boolean;
  /** Whether stored reports are all that it reads, so that it can be applied to them again. Heartbeats are not stored. */
  replays: boolean;
  thresholds: Record<Names, Threshold>;
  find: (window: Window, thresholds: Record<Names, number>) => Finding | null;
};

const rule = <Names extends string>(definition: Rule<Names>) => definition as Rule;

const shooters = ['cs2', 'valorant', 'apex'] as const;
const everyGame = [...shooters, 'dota2', 'rl'] as const;

const sorted = (values: readonly number[]) => [...values].sort((a, b) => a - b);
function median(values: readonly number[]): number {
  const order = sorted(values);
  const middle = Math.floor(order.length / 2);
  const upper = order[middle] ?? 0;
  return order.length % 2 === 1 ? upper : ((order[middle - 1] ?? 0) + upper) / 2;
}
const round = (value: number, digits = 0) => Number(value.toFixed(digits));
const seconds = (ms: number) => `${round(ms / 1000)} s`;

/** How widely values spread, as a share of their mean. */
function variation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return mean === 0 ? 0 : Math.sqrt(variance) / mean;
}

const reactionFloor = rule({
  name: 'Reactions below the human floor',
  severity: 'high',
  games: shooters,
  description:
    'The median time from a target becoming visible to the shot is shorter than anyone can react. One lucky shot at a corner does not move a median.',
  early: false,
  replays: true,
  thresholds: {
    floorMs: { standard: 110, min: 40, max: 180, unit: 'ms', meaning: 'A median below this is reported.' },
    samples: { standard: 8, min: 4, max: 100, unit: 'shots', meaning: 'Fewer shots than this prove nothing.' },
  },
  find({ reports }, { floorMs, samples }) {
    const times = dataOf(reports, 'reaction').map(({ ms }) => ms);
    const middle = median(times);
    if (times.length < samples || middle >= floorMs) return null;
    return {
      explanation: `Median reaction ${round(middle)} ms over ${times.length} shots; below ${floorMs} ms is not humanly possible.`,
      figures: { medianMs: round(middle, 1), shots: times.length },
    };
  },
});

const aimSnap = rule({
  name: 'Inhuman aim snaps',
  severity: 'high',
  games: shooters,
  description:
    'The view turned far within a frame or two and the shot hit, several times. Fast mice turn as far, but over several frames.',
  early: true,
  replays: true,
  thresholds: {
    degrees: { standard: 25, min: 5, max: 180, unit: 'degrees', meaning: 'Smaller turns are not counted.' },
    durationMs: { standard: 12, min: 1, max: 50, unit: 'ms', meaning: 'Slower turns are not counted.' },
    snaps: { standard: 4, min: 2, max: 50, unit: 'snaps', meaning: 'From this many in a window on it is reported.' },
  },
  find({ reports }, { degrees, durationMs, snaps }) {
    const turns = dataOf(reports, 'aim');
    const found = turns.filter((turn) => turn.hit && turn.degrees >= degrees && turn.durationMs <= durationMs);
    if (found.length < snaps) return null;
    const widest = Math.max(...found.map((turn) => turn.degrees));
    return {
      explanation: `${found.length} of ${turns.length} turns went at least ${degrees}° within ${durationMs} ms and hit; the widest went ${round(widest)}°.`,
      figures: { snaps: found.length, turns: turns.length, widestDegrees: round(widest, 1) },
    };
  },
});

const inputCadence = rule({
  name: 'Inhuman input cadence',
  severity: 'medium',
  games: everyGame,
  description:
    'A key was pressed many times at intervals that are more even, or shorter, than a hand can make them: a macro or a script.',
  early: false,
  replays: true,
  thresholds: {
    presses: { standard: 30, min: 10, max: 1000, unit: 'presses', meaning: 'Fewer presses than this prove nothing.' },
    variation: {
      standard: 0.03,
      min: 0.005,
      max: 0.2,
      unit: 'share of the mean',
      meaning: 'A spread below this is too even.',
    },
    perSecond: { standard: 25, min: 10, max: 200, unit: 'presses a second', meaning: 'More than this is too fast.' },
  },
  find({ reports }, { presses, variation: evenness, perSecond }) {
    const byControl = new Map<string, number[]>();
    for (const { control, intervalsMs } of dataOf(reports, 'input')) {
      const intervals = byControl.get(control);
      if (intervals) intervals.push(...intervalsMs);
      else byControl.set(control, [...intervalsMs]);
    }
    for (const [control, intervals] of byControl) {
      if (intervals.length < presses) continue;
      // A pause between two bursts says nothing about the hand.
      const usual = median(intervals);
      const inBursts = intervals.filter((interval) => interval <= 3 * usual);
      const spread = variation(inBursts);
      const rate = 1000 / usual;
      if (spread >= evenness && rate <= perSecond) continue;
      // JSON has no figure for presses at the same instant.
      const figure: Finding['figures'] = Number.isFinite(rate) ? { perSecond: round(rate, 1) } : {};
      const pace = 'perSecond' in figure ? `${figure.perSecond} a second` : 'at the same instant';
      return {
        explanation: `${intervals.length} presses of ${control}, ${pace}, with a spread of ${round(spread * 100, 1)}% of the mean; a hand spreads by 8% or more.`,
        figures: { control, presses: intervals.length, ...figure, variation: round(spread, 4) },
      };
    }
    return null;
  },
});

/** Programs that only serve to cheat or to inject code, in lower case. */
const blockedProcesses = [
  'cheatengine-x86_64.exe',
  'cheatengine.exe',
  'extreme injector.exe',
  'extremeinjector.exe',
  'process hacker.exe',
  'processhacker.exe',
  'xenos64.exe',
  'xenos.exe',
  'artmoney.exe',
  'reclass.net.exe',
] as const;

const blockedProcess = rule({
  name: 'Blocked program',
  severity: 'critical',
  games: everyGame,
  description: `A program ran that serves to change other programs: ${blockedProcesses.join(', ')}.`,
  early: true,
  replays: true,
  thresholds: {},
  find({ reports }) {
    const names = dataOf(reports, 'process').map(({ name }) => name.toLowerCase().replace(/^.*[\\/]/, ''));
    const found = [...new Set(names)].filter((name) => (blockedProcesses as readonly string[]).includes(name));
    if (found.length === 0) return null;
    return { explanation: `Running beside the game: ${found.join(', ')}.`, figures: { programs: found } };
  },
});

/** Files that a finding names; it counts all. */
const namedFiles = 10;

const moduleIntegrity = rule({
  name: 'Changed game file',
  severity: 'critical',
  games: everyGame,
  description:
    "A file that the game loaded differs from the game's signed list. Files that the list does not name, such as overlays and drivers, are not counted.",
  early: true,
  replays: true,
  thresholds: {},
  find({ reports }) {
    const names = [...new Set(dataOf(reports, 'module').flatMap((file) => (isChangedFile(file) ? file.name : [])))];
    if (names.length === 0) return null;
    const files = names.slice(0, namedFiles);
    return { explanation: `Not as the game ships it: ${files.join(', ')}.`, figures: { files, count: names.length } };
  },
});

const clientSilence = rule({
  name: 'Client went silent',
  severity: 'medium',
  games: everyGame,
  description:
    'The client was heard in this session and then neither beat nor reported for a long time. It is raised once, until the client is heard again. Players whom others put on the roster, and who have not accepted, may be silent unless the session names them.',
  early: true,
  replays: false,
  thresholds: {
    silenceMs: {
      standard: 90_000,
      min: 30_000,
      max: 600_000,
      unit: 'ms',
      meaning: 'A longer silence is reported. Connections come back sooner as a rule.',
    },
  },
  find({ end, lastHeardAt }, { silenceMs }) {
    if (lastHeardAt === null || end - lastHeardAt < silenceMs) return null;
    return {
      explanation: `Nothing was heard for ${seconds(end - lastHeardAt)} while the session went on.`,
      figures: { silentMs: round(end - lastHeardAt) },
    };
  },
});

/** Milliseconds over which reports must come in before we know how far ahead a client's clock is. */
export const clockSettlesMs = 10_000;

const clockManipulation = rule({
  name: 'Clock manipulated',
  severity: 'medium',
  games: everyGame,
  description:
    "The client's clock jumped ahead of ours, or went back from one report to the next. A slow connection or a laptop that slept only delays reports, and a clock that is always off is no jump.",
  early: false,
  replays: true,
  thresholds: {
    jumpMs: { standard: 10_000, min: 2_000, max: 300_000, unit: 'ms', meaning: 'A smaller jump is not counted.' },
  },
  find({ reports, clockAhead }, { jumpMs }) {
    let ahead = clockAhead;
    const first = reports[0]?.receivedAt ?? 0;
    const earlier: number[] = [];
    let previous: Report | undefined;
    for (const report of reports) {
      const now = report.at - report.receivedAt;
      // Until reports have come in over a while, those before may all have been late.
      if (ahead === null && report.receivedAt - first >= clockSettlesMs) ahead = Math.max(...earlier);
      const forward = ahead === null ? 0 : now - ahead;
      const back = previous ? previous.at - report.at : 0;
      const jump = Math.max(forward, back);
      if (jump >= jumpMs) {
        const way = forward >= back ? 'ahead' : 'back';
        return {
          explanation: `The client's clock jumped ${seconds(jump)} ${way} at report ${report.sequence}.`,
          figures: { jumpMs: round(jump), direction: way, sequence: report.sequence },
        };
      }
      if (ahead === null) earlier.push(now);
      else ahead = Math.max(ahead, now);
      previous = report;
    }
    return null;
  },
});

/** Every rule by its key. A detection's `ruleId` is the game's and the key: `cs2.aim_snap`. */
export const rules = {
  reaction_floor: reactionFloor,
  aim_snap: aimSnap,
  input_cadence: inputCadence,
  blocked_process: blockedProcess,
  module_integrity: moduleIntegrity,
  client_silence: clientSilence,
  clock_manipulation: clockManipulation,
} as const satisfies Record<string, Rule>;

export type RuleKey = keyof typeof rules;
export const ruleKeys = Object.keys(rules) as RuleKey[];

/** The rules of a game, in the order of the table. */
export function rulesOf(game: AntiCheatGame): RuleKey[] {
  return ruleKeys.filter((key) => rules[key].games.includes(game));
}

/** The thresholds of a rule, those that an organizer changed in place of the standard. */
export function thresholdsOf(key: RuleKey, changed: Record<string, number> = {}): Record<string, number> {
  const { thresholds } = rules[key];
  return Object.fromEntries(
    Object.entries(thresholds).map(([name, { standard }]) => [name, changed[name] ?? standard]),
  );
}

/** Milliseconds of a window. A rule raises at most one detection for a player in each. */
export const windowMs = 60_000;

/** How a project uses a rule; what it does not say is standard. */
export type RuleSetting = { enabled: boolean; thresholds: Record<string, number> };

/** What the rules of a game find in a window. While it is open, only those that need not wait for its end look. */
export function findCheating(
  game: AntiCheatGame,
  window: Window,
  settings: ReadonlyMap<string, RuleSetting>,
  { isOpen = false } = {},
) {
  return rulesOf(game).flatMap((key) => {
    if (isOpen && !rules[key].early) return [];
    const ruleId = `${game}.${key}`;
    const setting = settings.get(ruleId);
    if (setting && !setting.enabled) return [];
    const thresholds = thresholdsOf(key, setting?.thresholds);
    const finding = rules[key].find(window, thresholds);
    return finding
      ? [{ key, ruleId, name: rules[key].name, severity: rules[key].severity, thresholds, ...finding }]
      : [];
  });
}
