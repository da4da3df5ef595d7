/** An event of a match's feed, as far as it is shown. */
export type FeedItem = {
  type: string;
  game: number | null;
  participantId: string | null;
  payload: Record<string, unknown>;
};

const titles: Record<string, string> = {
  match_started: 'Match started',
  map_banned: 'Map banned',
  map_picked: 'Map picked',
  game_started: 'Game started',
  round_started: 'Round started',
  round_ended: 'Round ended',
  kill: 'Kill',
  death: 'Death',
  assist: 'Assist',
  objective: 'Objective',
  score_updated: 'Score updated',
  paused: 'Paused',
  resumed: 'Resumed',
  player_connected: 'Player connected',
  player_disconnected: 'Player disconnected',
  game_ended: 'Game ended',
  match_ended: 'Match ended',
};

/** Values of a payload that say something to a reader, in this order. */
const readable = ['map', 'player', 'victim', 'weapon', 'objective', 'reason', 'round'];

function scoresOf(payload: Record<string, unknown>): string | null {
  const { scores, score } = payload;
  const pair = Array.isArray(scores) ? scores : Array.isArray(score) ? score : null;
  if (pair?.length !== 2 || !pair.every((value) => typeof value === 'number')) return null;
  return `${pair[0]}–${pair[1]}`;
}

/** What happened: `Round ended`, with the details that the payload has: `13–9 · round 22`. */
export function describeFeedItem({ type, game, payload }: FeedItem): { title: string; detail: string } {
  const details = readable.flatMap((key) => {
    const value = payload[key];
    if (typeof value !== 'string' && typeof value !== 'number') return [];
    return [key === 'round' ? `round ${value}` : String(value)];
  });
  const parts = [scoresOf(payload), game === null ? null : `game ${game}`, ...details];
  return { title: titles[type] ?? type.replaceAll('_', ' '), detail: parts.filter(Boolean).join(' · ') };
}
