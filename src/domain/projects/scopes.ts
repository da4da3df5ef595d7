import { type Capability, capabilityWords } from '@/domain/projects/plans';

/** What an API key can be allowed to do. No scope implies another. */
export const scopes = [
  'read:tournaments',
  'read:matches',
  'read:player_stats',
  'read:teams',
  'anticheat:session.write',
  'anticheat:detections.read',
  'anticheat:evidence.write',
] as const;
export type Scope = (typeof scopes)[number];

/** Scopes by what they are for. */
export const scopeGroups = [
  {
    id: 'data',
    title: 'Data API',
    description: 'Read the data of the project. Keys with these scopes cannot change anything.',
  },
  { id: 'antiCheat', title: 'Anti-cheat', description: 'For the game servers that you run.' },
] as const;

type ScopeTerms = {
  group: (typeof scopeGroups)[number]['id'];
  label: string;
  description: string;
  /** What the project's plan must include as well; null: any plan will do. */
  capability: Capability | null;
};

export const scopeTerms: Record<Scope, ScopeTerms> = {
  'read:tournaments': {
    group: 'data',
    label: 'Tournaments',
    description: 'Tournaments and brackets, drafts on request',
    capability: 'dataApi',
  },
  'read:matches': {
    group: 'data',
    label: 'Matches',
    description: 'Matches, results and event feeds',
    capability: 'dataApi',
  },
  'read:player_stats': {
    group: 'data',
    label: 'Player statistics',
    description: 'Statistics of players by game',
    capability: 'dataApi',
  },
  'read:teams': { group: 'data', label: 'Teams', description: 'Teams and their rosters', capability: 'dataApi' },
  'anticheat:session.write': {
    group: 'antiCheat',
    label: 'Sessions',
    description: 'Start and end monitoring sessions',
    capability: 'antiCheat',
  },
  'anticheat:detections.read': {
    group: 'antiCheat',
    label: 'Detections',
    description: 'Read what the rules have detected',
    capability: null,
  },
  'anticheat:evidence.write': {
    group: 'antiCheat',
    label: 'Evidence',
    description: 'Upload screenshots, videos and logs',
    capability: null,
  },
};

/** What the scopes need and the plan does not include, as words for a sentence: `['the data API']`. */
export function missingCapabilities(chosen: readonly Scope[], included: readonly Capability[]): string[] {
  const needed = new Set(chosen.map((scope) => scopeTerms[scope].capability));
  return [...needed].flatMap((capability) =>
    capability && !included.includes(capability) ? [capabilityWords[capability]] : [],
  );
}
