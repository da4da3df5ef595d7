import type { Outputs } from '@/trpc/outputs';

export type Scope = Outputs['projects']['apiKeys']['list']['items'][number]['scopes'][number];
type Capability = Outputs['projects']['get']['capabilities'][number];

export type ScopeGroup = {
  title: string;
  about: string;
  /** What the plan must include; `none`: any plan will do. */
  needs: Partial<Record<Scope, Capability>>;
  scopes: { scope: Scope; label: string; about: string }[];
};

/** Every scope of an API key, by what integrators do with it. */
export const scopeGroups: ScopeGroup[] = [
  {
    title: 'Data API',
    about: 'Reads what the project publishes. Nothing can be changed with these.',
    needs: {
      'read:tournaments': 'dataApi',
      'read:matches': 'dataApi',
      'read:player_stats': 'dataApi',
      'read:teams': 'dataApi',
    },
    scopes: [
      { scope: 'read:tournaments', label: 'Tournaments', about: 'Tournaments and brackets, drafts when asked for' },
      { scope: 'read:matches', label: 'Matches', about: 'Matches, results and event feeds' },
      { scope: 'read:player_stats', label: 'Player statistics', about: 'Statistics of players by game' },
      { scope: 'read:teams', label: 'Teams', about: 'Teams and their rosters' },
    ],
  },
  {
    title: 'Anti-cheat',
    about: 'For game servers of your own. Starting and ending sessions is the only thing a key can write.',
    needs: { 'anticheat:session.write': 'antiCheat' },
    scopes: [
      { scope: 'anticheat:session.write', label: 'Sessions', about: 'Start and end monitoring sessions' },
      { scope: 'anticheat:detections.read', label: 'Detections', about: 'Read what the rules have raised' },
      { scope: 'anticheat:evidence.write', label: 'Evidence', about: 'Upload screenshots, videos and logs' },
    ],
  },
];

const capabilityWords: Record<Capability, string> = { dataApi: 'the data API', antiCheat: 'anti-cheat' };

/** What the chosen scopes need and the plan lacks, in words. */
export function lackingCapabilities(scopes: readonly Scope[], has: readonly Capability[]): string[] {
  const needed = scopeGroups.flatMap(({ needs }) => scopes.map((scope) => needs[scope]));
  return [...new Set(needed)].flatMap((need) => (need && !has.includes(need) ? [capabilityWords[need]] : []));
}
