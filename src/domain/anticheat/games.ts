/** The games that anti-cheat sessions are for. */
export const antiCheatGames = ['cs2', 'valorant', 'apex', 'dota2', 'rl'] as const;
export type AntiCheatGame = (typeof antiCheatGames)[number];
