import type { SettingsInput } from '@/domain/tournaments/settings';

/** Games of the demo. */
export const games = [
  { id: 'cs2', name: 'Counter-Strike 2' },
  { id: 'valorant', name: 'VALORANT' },
  { id: 'apex', name: 'Apex Legends' },
  { id: 'dota2', name: 'Dota 2' },
  { id: 'rl', name: 'Rocket League' },
  { id: 'lol', name: 'League of Legends' },
  { id: 'r6', name: 'Rainbow Six Siege' },
  { id: 'sf6', name: 'Street Fighter 6' },
  { id: 'tekken8', name: 'Tekken 8' },
  { id: 'chess', name: 'Chess' },
];

/** Names of player1 to player32, in order. */
export const playerNames = [
  ...['Mirek', 'lumi', 'SvenK', 'Tavi', 'Noor', 'zephyr', 'Ida Lind', 'Kosta'],
  ...['ramen.exe', 'Oleander', 'Juno', 'BigDov', 'Élise', 'Haruto', 'pixelmoss', 'Andris'],
  ...['Wanjiru', 'q0rra', 'Deniz', 'Mateo V', 'Fenn', 'Anouk', 'stratos', 'Yusra'],
  ...['Bartek', 'Coralie', 'نور الهدى', 'Teodor', 'nightjar', 'Sana', 'Lasse', 'Okwudili'],
];

const hours = 60 * 60_000;
const days = 24 * hours;

/** A time relative to `now`, on the hour. */
function from(now: number, offset: number): string {
  return new Date(Math.round((now + offset) / hours) * hours).toISOString();
}

export type DemoTournament = {
  settings: SettingsInput & Required<Pick<SettingsInput, 'name' | 'game' | 'maxParticipants' | 'startDate'>>;
  /** Days since it was published; null for a draft. */
  publishedDaysAgo: number | null;
  /** Who registered, by player number, in order: alone, or as captain of one of the demo's teams. */
  participants: { player: number; team?: string; region?: string }[];
  /** Registrations from this index on need approval, which is switched on before them. */
  approvalFrom?: number;
  /** Indexes in `participants` of those who have checked in. */
  checkedIn?: number[];
  cancelled?: boolean;
};

const players = (...numbers: number[]) => numbers.map((player) => ({ player }));

export type DemoTeam = {
  name: string;
  tag: string | null;
  /** People by player number. */
  captain: number;
  players?: number[];
  substitutes?: number[];
  /** People whose invitation is still open. */
  invites?: number[];
};

/** The field of a real CS2 Major stage, in pairs. */
const pairs: DemoTeam[] = [
  { name: 'Legacy', tag: 'LGC', captain: 1, players: [17], substitutes: [29] },
  { name: 'FaZe Clan', tag: 'FAZE', captain: 2, players: [18], substitutes: [30] },
  { name: 'B8', tag: 'B8', captain: 3, players: [19] },
  { name: 'GamerLegion', tag: 'GL', captain: 4, players: [20] },
  { name: 'Fnatic', tag: 'FNC', captain: 5, players: [21], substitutes: [31] },
  { name: 'PARIVISION', tag: 'PARI', captain: 6, players: [22] },
  { name: 'Ninjas in Pyjamas', tag: 'NIP', captain: 7, players: [23] },
  { name: 'Imperial Esports', tag: 'IMP', captain: 8, players: [24] },
  { name: 'Lynn Vision Gaming', tag: 'LVG', captain: 9, players: [25] },
  { name: 'The Huns Esports', tag: 'HUNS', captain: 10, players: [26] },
  { name: 'RED Canids', tag: 'RED', captain: 11, players: [27] },
  { name: 'Rare Atom', tag: 'RA', captain: 12, players: [28] },
];

/** Every team of the demo; the last is not registered anywhere and has an open invitation for player1. */
export const demoTeams: DemoTeam[] = [
  ...pairs,
  { name: 'Night Owls', tag: 'OWL', captain: 13, players: [14, 15, 16], substitutes: [32], invites: [1] },
];
const regions = ['Americas', 'Europe', 'Europe', 'Europe', 'Europe', 'Europe', 'Europe', 'Americas', 'Asia', 'Asia'];

/** The tournaments of the project `demo`, each in a different phase. `now` in milliseconds. */
export function demoTournaments(now: number): DemoTournament[] {
  const rocketStart = from(now, 30 * hours);
  const openStart = from(now, 4 * days + 3 * hours);
  return [
    {
      settings: {
        name: 'Northern Lights Open',
        slug: 'northern-lights-open',
        game: 'cs2',
        format: 'single_elimination',
        maxParticipants: 32,
        startDate: openStart,
        timezone: 'Europe/Stockholm',
        registrationClosesAt: new Date(Date.parse(openStart) - 12 * hours).toISOString(),
        checkInOpensAt: new Date(Date.parse(openStart) - 2 * hours).toISOString(),
        checkInClosesAt: new Date(Date.parse(openStart) - 0.25 * hours).toISOString(),
        waitlistEnabled: true,
        prizePool: { amount: 50_000, currency: 'EUR' },
        formatOptions: { bestOf: 3, thirdPlace: true },
        description:
          'One-on-one Counter-Strike 2 on aim maps, open to everyone. **Best of three** all the way, with a match for third place.\n\nNew to tournaments? This is a good first one: bring a mouse and a good mood.',
        rules:
          '## Matches\n- Map: `aim_redline`, first to 16 rounds.\n- Be in the lobby five minutes before your match.\n\n## Conduct\n- No scripts, no macros, no third-party overlays.\n- Disputes go to the staff channel, with a demo file.',
      },
      publishedDaysAgo: 6,
      participants: players(4, 9, 2, 13, 17, 22, 6, 28, 11, 31, 19, 25, 8),
    },
    {
      settings: {
        name: 'Friday Night Rockets',
        slug: 'friday-night-rockets',
        game: 'rl',
        format: 'double_elimination',
        maxParticipants: 16,
        startDate: rocketStart,
        timezone: 'Europe/Berlin',
        checkInOpensAt: from(now, -2 * hours),
        checkInClosesAt: new Date(Date.parse(rocketStart) - 0.25 * hours).toISOString(),
        waitlistEnabled: true,
        formatOptions: { bestOf: 5, grandFinalReset: true },
        description:
          'The weekly one-on-one. **Check-in is open**: players who have not checked in fifteen minutes before the start lose their slot to the waitlist.',
        rules:
          '- Best of five, grand final with reset.\n- DFH Stadium, five minutes, no mutators.\n- Report the score together.',
      },
      publishedDaysAgo: 9,
      participants: players(3, 1, 7, 12, 5, 16, 10, 2, 21, 14, 9, 26, 18, 30, 24, 6, 15, 20, 32, 27),
      checkedIn: [0, 2, 3, 5, 7, 8, 10, 13, 14],
    },
    {
      settings: {
        name: 'Budapest Wingman Masters',
        slug: 'budapest-wingman-masters',
        game: 'cs2',
        format: 'swiss',
        teamSize: 2,
        rosterMin: 2,
        rosterMax: 3,
        maxParticipants: 16,
        startDate: from(now, 9 * days),
        timezone: 'Europe/Budapest',
        registrationClosesAt: from(now, 7 * days),
        waitlistEnabled: true,
        entryFee: { amount: 1_000, currency: 'EUR' },
        prizePool: { amount: 250_000, currency: 'EUR' },
        formatOptions: { bestOf: 3, winsToAdvance: 3, lossesToEliminate: 3 },
        customFields: [
          {
            key: 'region',
            label: 'Region',
            type: 'select',
            required: true,
            options: ['Europe', 'Americas', 'Asia'],
            visibility: 'public',
          },
          {
            key: 'discord',
            label: 'Discord name of the captain',
            type: 'text',
            required: false,
            visibility: 'organizers',
          },
        ],
        description:
          'Two against two, sixteen teams, Swiss: three wins and you advance, three losses and you are out.\n\nThe organizers review every team before it gets a slot.',
        rules: '- Rosters of two with one substitute.\n- Players must stand on the roster when registration closes.',
      },
      publishedDaysAgo: 12,
      participants: pairs.map(({ name, captain }, place) => ({
        player: captain,
        team: name,
        region: regions[place] ?? 'Americas',
      })),
      approvalFrom: 8,
    },
    {
      settings: {
        name: 'Midlane Duels',
        slug: 'midlane-duels',
        game: 'dota2',
        format: 'groups_to_knockout',
        maxParticipants: 24,
        startDate: from(now, 11 * days),
        timezone: 'Europe/Kyiv',
        registrationOpensAt: from(now, 2 * days),
        registrationClosesAt: from(now, 10 * days),
        formatOptions: { bestOf: 3, groups: 6, advancePerGroup: 2 },
        description: 'One-on-one in the middle lane. Six groups of four; the top two of each advance to the bracket.',
        rules: '- First to two kills or the tower.\n- Same hero for both in the third game.',
      },
      publishedDaysAgo: 1,
      participants: [],
    },
    {
      settings: {
        name: 'Spring Invitational',
        slug: 'spring-invitational',
        game: 'valorant',
        format: 'swiss',
        teamSize: 5,
        rosterMin: 5,
        rosterMax: 7,
        maxParticipants: 12,
        startDate: from(now, 40 * days),
        timezone: 'Europe/Paris',
        requiresApproval: true,
        prizePool: { amount: 500_000, currency: 'EUR' },
        formatOptions: { bestOf: 3, rounds: 5 },
        description: 'Draft: dates and venue are not final yet.',
      },
      publishedDaysAgo: null,
      participants: [],
    },
    {
      settings: {
        name: 'Apex Weekend Warm-up',
        slug: 'apex-weekend-warm-up',
        game: 'apex',
        format: 'round_robin',
        maxParticipants: 20,
        startDate: from(now, 3 * days),
        timezone: 'Europe/London',
        description: 'Cancelled: the season patch lands on the same day.',
      },
      publishedDaysAgo: 15,
      participants: players(12, 29, 5),
      cancelled: true,
    },
  ];
}

/** One tournament each of the projects `demo-pro` and `demo-free`, so that the public list has more than one organizer. */
export function otherTournaments(now: number): { pro: DemoTournament; free: DemoTournament } {
  return {
    pro: {
      settings: {
        name: 'Harbour City Fighters',
        slug: 'harbour-city-fighters',
        game: 'sf6',
        format: 'double_elimination',
        maxParticipants: 64,
        startDate: from(now, 6 * days),
        timezone: 'Asia/Tokyo',
        formatOptions: { bestOf: 3, grandFinalReset: true },
        description: 'Monthly Street Fighter 6, online, everyone welcome.',
      },
      publishedDaysAgo: 3,
      participants: players(14, 27, 3, 23, 30),
    },
    free: {
      settings: {
        name: 'Campus LAN Rapid Chess',
        slug: 'campus-lan-rapid-chess',
        game: 'chess',
        format: 'swiss',
        maxParticipants: 40,
        startDate: from(now, 13 * days),
        timezone: 'America/New_York',
        formatOptions: { rounds: 7 },
        description: 'Seven rounds of ten minutes a side in the main hall.',
      },
      publishedDaysAgo: 2,
      participants: players(16, 7),
    },
  };
}
