import { reportData } from '@/domain/anticheat/reports';
import { type RuleKey, ruleKeys, rules, windowMs } from '@/domain/anticheat/rules';
import { limitInWords } from '@/server/limits/quotas';

function ruleRow(key: RuleKey): string {
  const { name, severity, games, description, thresholds } = rules[key];
  const limits = Object.entries(thresholds).map(([id, { standard, unit }]) => `\`${id}\` ${standard} ${unit}`);
  return `| \`${key}\` | ${name} | ${severity} | ${games.join(', ')} | ${[description, limits.join('; ')].filter(Boolean).join(' ')} |`;
}

/** How to integrate anti-cheat: the four calls of a game server, the client, reports and rules. Markdown. */
export const antiCheatGuide = `
## A session
1. Create an API key with the three anti-cheat scopes in the project. The plan must include anti-cheat for sessions; detections and evidence need the scope only.
2. Players enroll a client in the project: \`POST /anti-cheat/clients\` with their own access token. The client keeps the token it gets and sends
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
Each rule looks at one player's last ${windowMs / 1000} seconds and raises at most one detection in them.

| Rule | Name | Severity | Games | What it looks for |
|---|---|---|---|---|
${ruleKeys.map(ruleRow).join('\n')}
`.trim();
