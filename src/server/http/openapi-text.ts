/** What a reader of the API must know before the first call. Markdown; stands at the head of the document. */
export const introduction = `
REST interface of Laurel. JSON in and out, camelCase, timestamps in ISO 8601 UTC with milliseconds, ids opaque.

## Credentials
| Surface | Credential |
|---|---|
| Data API and anti-cheat integration | \`X-API-Key\`: a key of the project, made in its developer settings. A bearer token is not accepted there. |
| Everything else that is not public | \`Authorization: Bearer\` with an access token from \`POST /auth/token\` (15 minutes) or a personal access token (\`lpat_…\`). An API key is not accepted there. |

## First calls
1. Read: make a key under **API keys** of a project and send \`GET /data/tournaments\` with it as \`X-API-Key\`.
2. Change something: make a personal access token under **Settings, Access tokens** and send it as \`Authorization: Bearer lpat_…\`. It can what you can.
3. \`GET /projects\` tells the ids of your projects, which many paths begin with. A tournament goes by id or by the end of its page's address.
4. Be told instead of asking: \`POST /projects/{projectId}/developer/webhooks\`, then [receive what comes](/docs/api/receiving).

## Answers
Routes of the data API answer \`{success, data, message}\`; other routes answer the plain resource, and lists outside the data API
answer \`{items, total, page, limit, totalPages, hasNext, hasPrev}\`. Ask for more with \`page\` (from 1) and \`limit\` (25 unless said). Every refusal has the same body: see the schema \`Error\`.
\`error.code\` is stable and meant for programs, \`message\` for people. Unknown fields of a body are ignored.

## Request ids
Send \`X-Request-Id\` (up to 128 printable characters) or have one made; it is in every answer, in refusals and in our logs.

## Repeating a POST safely
Send \`Idempotency-Key\` (1 to 255 characters) with any POST. The first answer is kept for 24 hours and given again, with
\`Idempotent-Replayed: true\`; the work is not done twice. The same key with another body is 409 \`IDEMPOTENCY_KEY_REUSED\`; while the
first request is running it is 409 \`IDEMPOTENCY_IN_PROGRESS\` with \`Retry-After\`. Failures of ours (5xx) and 429 are not kept.

## Changing what others change too
Resources that several people edit have a \`version\`. Send the one you read as \`If-Match\` or as \`version\` in the body: if somebody
was faster, nothing happens and the answer is 412 \`VERSION_MISMATCH\`. Without it the last one wins.

## Limits
Requests are counted for each API key over a sliding minute: 60 on the plan free, 600 on pro, 6,000 on enterprise. Every answer to a
key carries \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` (Unix seconds); a 429 adds \`Retry-After\`.
Bodies may have up to 1 MiB.

## Reading again cheaply
GETs of the data API carry a strong \`ETag\`, those of public routes at least a weak one that leaves \`serverTime\` out; send it in \`If-None-Match\` and get 304 while nothing has changed.
Public GETs may be called from pages of any origin.
`.trim();

/** What a receiver of webhooks must know. Markdown; a page of its own, and the document's section on events. */
export const receiving = `
One POST for each event and subscription, JSON in UTF-8. Answer 2xx as soon as you hold it, and work afterwards.

## Headers
| Header | Holds |
|---|---|
| \`X-Webhook-Signature\` | HMAC-SHA256 of the raw body in lower-case hex. The key is the signing secret as text, \`whsec_\` included. |
| \`X-Webhook-Event\` | The type, for example \`participant.registered\`. |
| \`X-Webhook-Id\` | The attempt: the \`id\` of the body. |
| \`X-Webhook-Timestamp\` | When the attempt was made, in Unix seconds. |
| \`webhook-id\`, \`webhook-timestamp\`, \`webhook-signature\` | The same in the way of [Standard Webhooks](https://www.standardwebhooks.com), whose libraries take the secret as it is. \`webhook-id\` is the delivery's and stays over retries. |

## Is it genuine?
- Make the digest of the bytes that arrived, before any framework has parsed them, and compare in constant time.
- \`X-Webhook-Signature\` covers the body alone. \`webhook-signature\` covers time and id as well: with it, refuse what is older than five minutes.
- After a rotation \`webhook-signature\` holds one signature by each secret for as long as both are good; \`X-Webhook-Signature\` is by the new one at once.

## Once, and in order
- An event arrives at least once. Remember \`event.id\` and pass over what you know; it stays the same over retries and replays.
- First attempts go out in the order of the changes, several at a time. Where the order matters, compare \`event.timestamp\` or read the resource anew.
- Fields may be added to a payload at any time. What an old reader would misread raises \`event.version\`.

## When you do not answer
- Anything but 2xx within the subscription's \`timeoutMs\` (10 seconds unless changed) is tried again: unless changed six times, after
  5 and 20 seconds, then about 1, 5, 21 and 85 minutes. Redirects are not followed. Nothing is tried later than 24 hours after the event.
- \`Retry-After\` with 429 or 503 holds everything of the subscription for as long as it says. 410 switches the subscription off.
- After ten failures in a row (unless changed) the circuit breaker holds deliveries back and sends one each minute, until one succeeds.
- Each attempt is kept for 30 days with request and answer, under **Webhooks** of the project and at \`GET /webhooks/subscriptions/{id}/deliveries\`. Send any of them again from there.

## Trying it
\`POST /webhooks/subscriptions/{id}/test\` sends a \`webhook.test\` at once. Webhooks only go to public addresses; who runs the instance may
allow private ones with \`WEBHOOK_ALLOWED_CIDRS\`, for example \`127.0.0.0/8\` for a receiver on the same machine.
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
  Events: receiving,
};
