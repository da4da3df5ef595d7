import { reportData } from '@/domain/anticheat/reports';
import { type RuleKey, ruleKeys, rules, windowMs } from '@/domain/anticheat/rules';
import { limitInWords } from '@/server/limits/quota-words';
import { maxReportsBytes, verdictExample } from '@/server/routers/anticheat/verdicts/schema';

function ruleRow(key: RuleKey): string {
  const { name, severity, games, description, thresholds } = rules[key];
  const limits = Object.entries(thresholds).map(([id, { standard, unit }]) => `\`${id}\` ${standard} ${unit}`);
  return `| \`${key}\` | ${name} | ${severity} | ${games.join(', ')} | ${[description, limits.join('; ')].filter(Boolean).join(' ')} |`;
}

/** How to integrate anti-cheat: the four calls of a game server, the client, reports and rules. Markdown. */
export const antiCheatGuide = `
## A session
1. Create an API key with the three anti-cheat scopes in the project. The plan must include anti-cheat for sessions; detections and evidence need the scope only.
2. Players enroll a client in the project, in their account settings or with \`POST /anti-cheat/clients\` and their own access token. The client keeps the token it gets and sends
   heartbeats and reports with it. \`examples/anti-cheat-client\` in the repository is a complete one.
3. When a match begins, start a session with its players, or with only the \`matchId\` of a match on Laurel. Enrolled clients are wired in; the others are remembered as asked for.
4. Rules read what the clients report and raise detections. Subscribe to \`anticheat.detection_raised\` to hear of them, or list them.
5. End the session with the match. \`anticheat.session_completed\` says how many detections it had.

## Evidence
Ask for an upload URL with the size and SHA-256 of the file, then \`PUT\` the bytes there with \`requiredHeaders\`: with the built-in store and MinIO that is Content-Type
alone; on Amazon S3 it has \`x-amz-checksum-sha256\` as well. Other bytes are refused by the store. Name a \`detectionId\`, or the evidence is for the whole session.

## Reports
A client sends up to 100 reports at once, and ${limitInWords('antiCheatReports')}. Each has a \`sequence\` that the client counts up from 1 and never uses twice; send a batch again as it was when there was no
response. \`at\` is the client's own time, which may be off. The kinds are ${Object.keys(reportData)
  .map((kind) => `\`${kind}\``)
  .join(', ')}; their fields are below, and further fields are kept.

## Rules
Each rule looks at one player's ${windowMs / 1000} seconds and raises at most one detection in them. Organizers tune the thresholds under **Anti-cheat, Rules**
of the dashboard, and replay the stored reports before they save, to see what would have been raised.

| Rule | Name | Severity | Games | What it looks for |
|---|---|---|---|---|
${ruleKeys.map(ruleRow).join('\n')}

## AI verdicts
The administrator of the instance can name a verdict provider (\`ANTI_CHEAT_VERDICT_URL\` and \`ANTI_CHEAT_VERDICT_SECRET\`); by default there is none, and \`hasAiVerdict\` is
\`false\`. The provider gets one POST about each detection:

\`\`\`json
${JSON.stringify(verdictExample.request, null, 2)}
\`\`\`

It is signed like a webhook, so verify it [with the same code](/docs/api/receiving); \`signature\` is the last member of the body, and \`webhook-id\` is the id of the detection.
\`reports\` are those of the player's minute that had arrived, with the fields that their kind names, from its beginning and up to ${maxReportsBytes / 1024} KiB; \`reportsOmitted\` counts the others.
Respond with 200 and at most 16 KiB of JSON:

\`\`\`json
${JSON.stringify(verdictExample.response, null, 2)}
\`\`\`

\`verdict\` is \`confirmed\`, \`dismissed\` or \`inconclusive\`, \`confidence\` is from 0 to 1, and \`model\` has 1 to 100 characters. It is recorded once and changes nothing else: people decide.
No response in time (10 seconds unless \`ANTI_CHEAT_VERDICT_TIMEOUT_MS\` says otherwise), 408, 425, 429, 5xx and a lost connection are tried four more times over some minutes, or when
\`Retry-After\` says, within five minutes. After that, and at once after another status or a response that is no verdict, no verdict is recorded.
`.trim();
