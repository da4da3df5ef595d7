/** The games that anti-cheat sessions are for. */
export const antiCheatGames = ['cs2', 'valorant', 'apex', 'dota2', 'rl'] as const;
export type AntiCheatGame = (typeof antiCheatGames)[number];

export const antiCheatGameNames: Record<AntiCheatGame, string> = {
  cs2: 'Counter-Strike 2',
  valorant: 'VALORANT',
  apex: 'Apex Legends',
  dota2: 'Dota 2',
  rl: 'Rocket League',
};
