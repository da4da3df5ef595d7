/** What a reader of the API must know before the first call. Markdown; stands at the head of the document. */
export const introduction = `
REST interface of Laurel. JSON in and out, camelCase, timestamps in ISO 8601 UTC with milliseconds, ids opaque.

### Credentials
| Surface | Credential |
|---|---|
| Data API and anti-cheat integration | \`X-API-Key\`: a key of the project, made in its developer settings. A bearer token is not accepted there. |
| Everything else that is not public | \`Authorization: Bearer\` with an access token from \`POST /auth/token\` (15 minutes) or a personal access token (\`lpat_…\`). An API key is not accepted there. |

### Answers
Routes of the data API answer \`{success, data, message}\`; other routes answer the plain resource, and lists outside the data API
answer \`{items, total, page, limit, totalPages, hasNext, hasPrev}\`. Every refusal has the same body: see the schema \`Error\`.
\`error.code\` is stable and meant for programs, \`message\` for people. Unknown fields of a body are ignored.

### Request ids
Send \`X-Request-Id\` (up to 128 printable characters) or have one made; it is in every answer, in refusals and in our logs.

### Repeating a POST safely
Send \`Idempotency-Key\` (1 to 255 characters) with any POST. The first answer is kept for 24 hours and given again, with
\`Idempotent-Replayed: true\`; the work is not done twice. The same key with another body is 409 \`IDEMPOTENCY_KEY_REUSED\`; while the
first request is running it is 409 \`IDEMPOTENCY_IN_PROGRESS\` with \`Retry-After\`. Failures of ours (5xx) and 429 are not kept.

### Limits
Requests are counted for each API key over a sliding minute: 60 on the plan free, 600 on pro, 6,000 on enterprise. Every answer to a
key carries \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` (Unix seconds); a 429 adds \`Retry-After\`.
Bodies may have up to 1 MiB.

### Reading again cheaply
GETs of the data API carry a strong \`ETag\`, those of public routes at least a weak one that leaves \`serverTime\` out; send it in \`If-None-Match\` and get 304 while nothing has changed.
Public GETs may be called from pages of any origin.
`.trim();

/** Order and explanation of the document's sections. A tag that is not here comes last. */
export const tagDescriptions: Record<string, string> = {
  'Data API': "Read a project's tournaments with an API key.",
  'Anti-cheat': 'Report from your game servers with an API key.',
  Tournaments: 'Find, create, publish and run tournaments.',
  Participants: 'Register, check in and manage entrants.',
  Matches: 'Report, confirm and rule on results.',
  Teams: 'Teams and their members.',
  Circuits: 'Circuits and their seasons.',
  Payments: 'Entry fees and payouts.',
  Broadcasts: 'Streams of a tournament.',
  Webhooks: 'Have events delivered to your server.',
  Auth: 'Accounts and tokens.',
  Me: 'Your own account.',
  Projects: 'Projects: the organizations that run tournaments.',
  Members: 'Who may do what in a project.',
  'API keys': 'Keys of a project, made by its owners and administrators.',
};
