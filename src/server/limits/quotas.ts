import type { Plan } from '@/domain/projects/plans';
import { env, type NumberVariable } from '@/env';

type Quota = {
  /** What it counts, and per whom: for the reference and the dashboard. */
  counts: string;
  per: string;
  /** Variable with the limit; by plan where plans differ. */
  variable: NumberVariable | Record<Plan, NumberVariable>;
  /** A rate: seconds of the sliding window. Absent: how many there are. */
  seconds?: number;
  /** What the caller reads who asks for more, or what happens instead of a refusal. */
  exceeded: (limit: number) => string;
};

/** In seconds. */
const [minute, hour, day] = [60, 3_600, 86_400];

const ofOthers = (seconds: number, period: string) => ({
  counts: 'Emails that other people cause; further ones are folded into one',
  per: 'email address',
  seconds,
  exceeded: (limit: number) => `The address got ${limit} emails within ${period}; further ones are folded into one.`,
});

const onRequest = {
  counts: 'Emails that someone asked for, of one kind; no further one is sent',
  seconds: hour,
  exceeded: (limit: number) => `The inbox has ${limit} such emails of the last hour.`,
};

const invitationsOf = (whose: string) => ({
  counts: 'Open invitations',
  per: whose,
  exceeded: (limit: number) => `The ${whose} has ${limit} open invitations, the maximum. Revoke one first.`,
});

const liveStreamsOf = (whose: string, session: 'with' | 'without') => ({
  counts: `Live streams open ${session} a session`,
  per: whose,
  exceeded: (limit: number) =>
    `${limit} live streams are open from your ${whose}, the maximum. Ask every 15 seconds instead.`,
});

const screenshotsIn = (seconds: number, period: string) => ({
  counts: 'Screenshot uploads',
  per: 'account',
  seconds,
  exceeded: (limit: number) => `You can upload ${limit} screenshots within ${period}. Try again later.`,
});

/**
 * Every quota between tenants. A number is answered with 409 `QUOTA_EXCEEDED`, a rate with 429. The API reference and the
 * dashboard list this table. A transaction takes them before it writes what they limit, so that what is refused leaves
 * no dead rows; several in this order, after its other locks. One that creates a tournament takes them first: until it
 * ends, others who choose the same slug wait for it.
 */
export const quotas = {
  projects: {
    counts: 'Projects created',
    per: 'account',
    variable: 'PROJECTS_PER_USER',
    exceeded: (limit) => `You have created ${limit} projects, the maximum for one account. Use one of them.`,
  },
  projectsPerDay: {
    counts: 'Projects created',
    per: 'account',
    variable: 'PROJECTS_PER_USER_PER_DAY',
    seconds: day,
    exceeded: (limit) => `You can create ${limit} projects within 24 hours. Try again later.`,
  },
  bulkEvents: {
    counts: 'Events and matches that changes of more than 20 things at once write, such as draws and imports',
    per: 'project',
    variable: 'BULK_EVENTS_PER_PROJECT_PER_DAY',
    seconds: day,
    exceeded: (limit) => `A project can change ${limit} things in bulk within 24 hours. Try again later.`,
  },
  tournaments: {
    counts: 'Tournaments created',
    per: 'project',
    variable: 'TOURNAMENTS_PER_PROJECT_PER_DAY',
    seconds: day,
    exceeded: (limit) => `A project can create ${limit} tournaments within 24 hours. Try again later.`,
  },
  tournamentsOfBlock: {
    counts: 'Tournaments created, and tries that a taken slug or another quota refuses',
    per: 'block of addresses',
    variable: 'TOURNAMENTS_PER_BLOCK_PER_DAY',
    seconds: day,
    exceeded: (limit) => `Your block of addresses can create ${limit} tournaments within 24 hours. Try again later.`,
  },
  guests: {
    counts: 'Guests added, and participants of imported tournaments',
    per: 'project',
    variable: 'GUESTS_PER_PROJECT_PER_DAY',
    seconds: day,
    exceeded: (limit) => `A project can add ${limit} guests within 24 hours. Try again later.`,
  },
  questionVersions: {
    counts: 'Versions of the questions that are kept, of which those nobody has answered make room first',
    per: 'tournament',
    variable: 'QUESTION_VERSIONS_PER_TOURNAMENT',
    exceeded: (limit) => `Participants have answered ${limit} versions of the questions. They cannot change any more.`,
  },
  substitutions: {
    counts: 'Substitutions of players in a tournament',
    per: 'participant',
    variable: 'SUBSTITUTIONS_PER_PARTICIPANT',
    exceeded: (limit) => `The team has had ${limit} substitutions in this tournament, the maximum.`,
  },
  importedAddresses: {
    counts: 'Email addresses in participant imports, including previews',
    per: 'account',
    variable: 'IMPORTED_ADDRESSES_PER_USER_PER_DAY',
    seconds: day,
    exceeded: (limit) => `You can import or preview ${limit} email addresses within 24 hours. Try again later.`,
  },
  games: {
    counts: 'Games added by the project',
    per: 'project',
    variable: 'GAMES_PER_PROJECT',
    exceeded: (limit) => `The project has ${limit} games of its own, the maximum. Use one of them.`,
  },
  matchEvents: {
    counts: 'Match events posted',
    per: 'match',
    variable: 'MATCH_EVENTS_PER_MINUTE',
    seconds: minute,
    exceeded: (limit) => `A match takes at most ${limit} events in a minute.`,
  },
  matchEventsOfProject: {
    counts: 'Match events posted, known ones included',
    per: 'project',
    variable: 'MATCH_EVENTS_PER_PROJECT_PER_MINUTE',
    seconds: minute,
    exceeded: (limit) => `The matches of a project take at most ${limit} events in a minute. Wait a moment.`,
  },
  matchEventKib: {
    counts: 'Match events posted, in KiB: their JSON, 400 bytes for each, and the payloads of known ones returned',
    per: 'project',
    variable: 'MATCH_EVENT_KIB_PER_PROJECT_PER_DAY',
    seconds: day,
    exceeded: (limit) => `The matches of a project take ${limit} KiB of events within 24 hours. Try again later.`,
  },
  apiKeys: {
    counts: 'Active API keys',
    per: 'project',
    variable: 'API_KEYS_PER_PROJECT',
    exceeded: (limit) => `The project has ${limit} API keys, the maximum. Revoke one first.`,
  },
  accessTokens: {
    counts: 'Personal access tokens created',
    per: 'account',
    variable: 'ACCESS_TOKENS_PER_USER_PER_DAY',
    seconds: day,
    exceeded: (limit) => `You can create ${limit} access tokens within 24 hours. Try again later.`,
  },
  idempotencyKeys: {
    counts: 'New Idempotency-Key values; a long response counts as one for every 16 KiB',
    per: 'account or project',
    variable: 'IDEMPOTENCY_KEYS_PER_CALLER_PER_DAY',
    seconds: day,
    exceeded: (limit) => `You can use ${limit} Idempotency-Key values in 24 hours. Leave it out, or try again later.`,
  },
  webhooks: {
    counts: 'Webhook subscriptions',
    per: 'project',
    variable: { free: 'WEBHOOKS_FREE', pro: 'WEBHOOKS_PRO', enterprise: 'WEBHOOKS_ENTERPRISE' },
    exceeded: (limit) => `The project has ${limit} webhooks, the maximum of its plan. Delete one first.`,
  },
  webhooksPerUrl: {
    counts: 'Webhook subscriptions with the same URL, whatever its query',
    per: 'URL of a project',
    variable: 'WEBHOOKS_PER_URL',
    exceeded: (limit) => `${limit} webhooks of the project already use this URL, the maximum. Use another URL.`,
  },
  webhookReplays: {
    counts: 'Webhook deliveries sent again',
    per: 'project',
    variable: 'WEBHOOK_REPLAYS_PER_PROJECT_PER_DAY',
    seconds: day,
    exceeded: (limit) => `A project can send ${limit} deliveries again within 24 hours. Choose fewer of them.`,
  },
  webhookTests: {
    counts: 'Tests of webhooks sent',
    per: 'project',
    variable: 'WEBHOOK_TESTS_PER_PROJECT_PER_MINUTE',
    seconds: minute,
    exceeded: (limit) => `A project can send ${limit} tests in a minute. Wait a moment.`,
  },
  projectInvitations: { ...invitationsOf('project'), variable: 'INVITATIONS_PER_PROJECT' },
  teamInvitations: { ...invitationsOf('team'), variable: 'INVITATIONS_PER_TEAM' },
  teamInvitationsOfBlock: {
    counts: 'Team invitations sent to the same address or player',
    per: 'recipient and block of addresses',
    variable: 'TEAM_INVITATIONS_PER_BLOCK_PER_DAY',
    seconds: day,
    exceeded: (limit) => `Your block of addresses can invite a person ${limit} times within 24 hours. Try again later.`,
  },
  teams: {
    counts: 'Teams that the account is in, disbanded ones that can be restored included',
    per: 'account',
    variable: 'TEAMS_PER_USER',
    exceeded: (limit) => `You are in ${limit} teams, the maximum, including recently disbanded ones. Leave one.`,
  },
  uploads: {
    counts: 'Banner uploads',
    per: 'project',
    variable: 'UPLOADS_PER_PROJECT_PER_HOUR',
    seconds: hour,
    exceeded: (limit) => `A project can upload ${limit} images within an hour. Try again later.`,
  },
  screenshots: { ...screenshotsIn(hour, 'an hour'), variable: 'SCREENSHOTS_PER_USER_PER_HOUR' },
  screenshotsPerDay: { ...screenshotsIn(day, '24 hours'), variable: 'SCREENSHOTS_PER_USER_PER_DAY' },
  matchMessages: {
    counts: 'Messages in match threads',
    per: 'account',
    variable: 'MATCH_MESSAGES_PER_USER_PER_MINUTE',
    seconds: minute,
    exceeded: (limit) => `You can send ${limit} messages in a minute. Wait a moment.`,
  },
  matchAnswers: {
    counts: 'Reports, disputes, and times proposed or withdrawn; the same sent again does not count',
    per: 'player of a match',
    variable: 'MATCH_ANSWERS_PER_PLAYER_PER_HOUR',
    seconds: hour,
    exceeded: (limit) => `You have reported or proposed ${limit} times for this match within an hour. Try again later.`,
  },
  matchLines: {
    counts: 'Messages of players in the thread of a match; apart from them as many reports, disputes and proposals',
    per: 'side of a match',
    variable: 'MATCH_LINES_PER_SIDE_PER_MONTH',
    seconds: 30 * day,
    exceeded: (limit) => `Your side has used up its ${limit} lines in this match. A moderator can write and decide.`,
  },
  screenshotKib: {
    counts: 'Screenshots sent, in KiB: by players four fifths, of one tournament a fifth, by one player a fiftieth',
    per: 'project',
    variable: 'SCREENSHOT_KIB_PER_PROJECT_PER_DAY',
    seconds: day,
    exceeded: (limit) => `A project takes ${limit} KiB of screenshots a day, a tournament 20% of it, a player 2%.`,
  },
  registrationChanges: {
    counts: 'Cancellations and edits of a registration',
    per: 'player of a tournament',
    variable: 'REGISTRATION_CHANGES_PER_PLAYER_PER_HOUR',
    seconds: hour,
    exceeded: (limit) => `You have changed this registration ${limit} times within an hour. Try again later.`,
  },
  liveStreams: { ...liveStreamsOf('network', 'without'), variable: 'LIVE_STREAMS_PER_NETWORK' },
  liveStreamsOfBlock: { ...liveStreamsOf('block of addresses', 'without'), variable: 'LIVE_STREAMS_PER_BLOCK' },
  liveStreamsOfAccount: { ...liveStreamsOf('account', 'with'), variable: 'LIVE_STREAMS_PER_USER' },
  accountStreams: { ...liveStreamsOf('network', 'with'), variable: 'ACCOUNT_STREAMS_PER_NETWORK' },
  accountStreamsOfBlock: { ...liveStreamsOf('block of addresses', 'with'), variable: 'ACCOUNT_STREAMS_PER_BLOCK' },
  heavyCalls: {
    counts: 'Exports, imports, draws and corrections of tournaments, including previews; old questions',
    per: 'account',
    variable: 'HEAVY_CALLS_PER_USER_PER_MINUTE',
    seconds: minute,
    exceeded: (limit) => `You can export, import, draw and correct ${limit} times in a minute. Wait a moment.`,
  },
  urlChecks: {
    counts: 'URLs of webhooks and of their health checks that are checked: typed, new and changed ones',
    per: 'account',
    variable: 'URL_CHECKS_PER_USER_PER_MINUTE',
    seconds: minute,
    exceeded: (limit) => `You can have ${limit} URLs checked in a minute. Wait a moment.`,
  },
  writes: {
    counts: 'Changes, beyond the first 1,000 a day in each process; of large draws all; not match events',
    per: 'account',
    variable: 'WRITES_PER_USER_PER_DAY',
    seconds: day,
    exceeded: (limit) => `You can change ${limit} things within 24 hours. Try again later.`,
  },
  accountEmails: { ...onRequest, per: 'email address and network', variable: 'ACCOUNT_EMAILS_PER_NETWORK_PER_HOUR' },
  accountEmailsOfBlock: {
    ...onRequest,
    per: 'email address and block of addresses',
    variable: 'ACCOUNT_EMAILS_PER_BLOCK_PER_HOUR',
  },
  accountEmailsOfAll: { ...onRequest, per: 'email address', variable: 'ACCOUNT_EMAILS_PER_HOUR' },
  strangerEmails: {
    counts: 'Emails to people who are neither members nor registered',
    per: 'account and project',
    variable: 'STRANGER_EMAILS_PER_DAY',
    seconds: day,
    exceeded: (limit) => `You and the project can email ${limit} people outside it within 24 hours. Try again later.`,
  },
  emails: { ...ofOthers(hour, 'an hour'), variable: 'EMAILS_PER_ADDRESS_PER_HOUR' },
  emailsPerDay: { ...ofOthers(day, '24 hours'), variable: 'EMAILS_PER_ADDRESS_PER_DAY' },
  ownEmails: {
    counts: 'Emails that its owner causes, and about reported results; further ones are folded into one',
    per: 'email address',
    variable: 'OWN_EMAILS_PER_ADDRESS_PER_HOUR',
    seconds: hour,
    exceeded: (limit) => `The address got ${limit} emails caused by its owner within an hour; further ones are folded.`,
  },
  antiCheatClients: {
    counts: 'Anti-cheat clients in all projects',
    per: 'account',
    variable: 'ANTI_CHEAT_CLIENTS_PER_USER',
    exceeded: (limit) => `You have enrolled ${limit} anti-cheat clients, the maximum. Revoke one first.`,
  },
  antiCheatSessions: {
    counts: 'Running anti-cheat sessions',
    per: 'project',
    variable: 'ANTI_CHEAT_SESSIONS_PER_PROJECT',
    exceeded: (limit) => `The project has ${limit} running sessions, the maximum. End one first.`,
  },
  antiCheatSessionsPerDay: {
    counts: 'Anti-cheat sessions started',
    per: 'project',
    variable: 'ANTI_CHEAT_SESSIONS_PER_PROJECT_PER_DAY',
    seconds: day,
    exceeded: (limit) => `A project can start ${limit} sessions within 24 hours. Try again later.`,
  },
  antiCheatEnrollments: {
    counts: 'Anti-cheat clients enrolled or given a new token',
    per: 'account',
    variable: 'ANTI_CHEAT_ENROLLMENTS_PER_USER_PER_DAY',
    seconds: day,
    exceeded: (limit) => `You can enroll clients and renew their tokens ${limit} times within 24 hours.`,
  },
  antiCheatReports: {
    counts: 'Reports of an anti-cheat client',
    per: 'anti-cheat client',
    variable: 'ANTI_CHEAT_REPORTS_PER_MINUTE',
    seconds: minute,
    exceeded: (limit) => `A client can send ${limit} reports in a minute.`,
  },
  antiCheatKib: {
    counts: 'Reports of an anti-cheat client, in KiB of JSON',
    per: 'anti-cheat client',
    variable: 'ANTI_CHEAT_KIB_PER_CLIENT_PER_HOUR',
    seconds: hour,
    exceeded: (limit) => `A client can send ${limit} KiB of reports within an hour.`,
  },
  antiCheatKibOfProject: {
    counts: 'Reports of clients in running sessions, in KiB of JSON',
    per: 'project',
    variable: 'ANTI_CHEAT_KIB_PER_PROJECT_PER_HOUR',
    seconds: hour,
    exceeded: (limit) => `The sessions of a project take ${limit} KiB of reports within an hour.`,
  },
  antiCheatKibOutside: {
    counts: 'Reports of clients in no running session, in KiB of JSON; further ones are not stored',
    per: 'project',
    variable: 'ANTI_CHEAT_KIB_OUTSIDE_SESSIONS_PER_HOUR',
    seconds: hour,
    exceeded: (limit) => `${limit} KiB of reports outside of sessions are stored for a project within an hour.`,
  },
  antiCheatReplays: {
    counts: 'Replays of anti-cheat rules',
    per: 'project',
    variable: 'ANTI_CHEAT_REPLAYS_PER_HOUR',
    seconds: hour,
    exceeded: (limit) => `A project can replay its rules ${limit} times within an hour. Try again later.`,
  },
  evidence: {
    counts: 'Evidence uploads',
    per: 'anti-cheat session',
    variable: 'EVIDENCE_PER_SESSION_PER_HOUR',
    seconds: hour,
    exceeded: (limit) => `A session takes ${limit} files of evidence within an hour. Try again later.`,
  },
  evidenceKib: {
    counts: 'Evidence for which uploads are granted, in KiB',
    per: 'project',
    variable: 'EVIDENCE_KIB_PER_PROJECT_PER_DAY',
    seconds: day,
    exceeded: (limit) => `A project can upload ${limit} KiB of evidence within 24 hours. Try again later.`,
  },
} as const satisfies Record<string, Quota>;

export type QuotaName = keyof typeof quotas;
export type RateName = {
  [Name in QuotaName]: (typeof quotas)[Name] extends { seconds: number } ? Name : never;
}[QuotaName];
export type NumberName = Exclude<QuotaName, RateName>;

/** The row of a quota, whatever it has. */
export function quotaOf(name: QuotaName): Quota {
  return quotas[name];
}

/** The limit of a quota. @param plan of the project, where plans differ */
export function limitOf(name: QuotaName, plan: Plan = 'free'): number {
  const { variable } = quotaOf(name);
  return env[typeof variable === 'string' ? variable : variable[plan]];
}
