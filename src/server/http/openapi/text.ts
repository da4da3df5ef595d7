import { limitInWords } from '@/server/limits/quota-words';
import { type QuotaName, quotaOf, quotas } from '@/server/limits/quotas';

const quotaRows = (Object.keys(quotas) as QuotaName[])
  .map((name) => `| ${quotaOf(name).counts} | ${limitInWords(name)} | ${quotaOf(name).per} |`)
  .join('\n');

/** What a reader of the API must know before the first call. Markdown, at the head of the document. */
export const introduction = `
The REST API of Laurel: JSON in and out, camelCase names, ISO 8601 timestamps in UTC with milliseconds, and opaque ids.

## Credentials
| Surface | Credential |
|---|---|
| Data API and anti-cheat integration | \`X-API-Key\`: an API key of the project, created in its developer settings. Bearer tokens are not accepted. |
| Everything else that is not public | \`Authorization: Bearer\` with an access token from \`POST /auth/token\` (15 minutes) or a personal access token (\`lpat_…\`). API keys are not accepted. |

## First calls
1. Read data: create a key under **API keys** in a project, and send \`GET /data/tournaments\` with it as \`X-API-Key\`.
2. Change something: create a personal access token under **Settings, Access tokens**, and send it as \`Authorization: Bearer lpat_…\`. It has all of your permissions.
3. Find ids: \`GET /projects\` lists your projects, whose ids many paths begin with. Tournaments are found by id or by slug, the last part of the address of their page.
4. Receive events instead of polling: \`POST /projects/{projectId}/developer/webhooks\`, then [receive webhooks](/docs/api/receiving).

## Responses
Routes of the data API return \`{success, data, message}\`. Other routes return the plain resource, and their lists return
\`{items, total, page, limit, totalPages, hasNext, hasPrev}\`. Ask for more with \`page\` (from 1) and \`limit\` (25 by default). Every error has the same body: see the schema \`Error\`.
\`error.code\` is stable and meant for programs, \`message\` for people. Unknown fields in a body are ignored.

## Request ids
Send \`X-Request-Id\` (up to 128 printable characters), or one is generated. It is in every response, in every error body and in the server's logs.
Audit logs and events have the id that you chose if you make the change by your role in the project or with its API key; otherwise their \`requestId\` is null.

## Retrying a POST safely
Send \`Idempotency-Key\` (1 to 255 characters) with any POST that has a credential. The first response is kept for 24 hours and sent again, with
\`Idempotent-Replayed: true\`; the work is not done twice. The same key with another body is 409 \`IDEMPOTENCY_KEY_REUSED\`; while the
first request is running it is 409 \`IDEMPOTENCY_IN_PROGRESS\` with \`Retry-After\`. Server errors (5xx) and 429 are not kept.

## Concurrent changes
Resources that several people edit have a \`version\`. Send the one you read as \`If-Match\` or as \`version\` in the body: if somebody
else changed the resource first, nothing happens and the response is 412 \`VERSION_MISMATCH\`. Without it the last write wins.

## Limits
Each API key may make 60 requests in any minute on the free plan, 600 on pro and 6,000 on enterprise. Every response to a
key carries \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` (Unix seconds); a 429 adds \`Retry-After\`.
Bodies may be up to 1 MiB.

So that no project can slow down another, there are quotas beside it. Past a number the response is 409 \`QUOTA_EXCEEDED\`; past a rate
it is 429 \`QUOTA_EXCEEDED\` with \`Retry-After\` and the \`X-RateLimit\` headers of that rate, and nothing is done. Project settings and
\`GET /projects/{projectId}/limits\` and \`GET /me/limits\` say how much of them is used. The limits of this instance:

| What | Limit | For each |
|---|---|---|
${quotaRows}

An account whose email address is not confirmed can register, edit, cancel, check in, report and confirm results. Creating a project,
publishing, inviting, sending anything to anyone and writing what others read is 403 \`EMAIL_NOT_CONFIRMED\`, and so is everything about
a registration or a place on a roster that staff gave it.

## Caching
GETs of the data API carry a strong \`ETag\`; public GETs carry at least a weak one, which ignores \`serverTime\`. Send it in \`If-None-Match\` to get 304 while nothing has changed.
Public GETs may be called from pages of any origin.
`.trim();

/** What a receiver of webhooks must know. Markdown, for a page of its own and the document's section on events. */
export const receiving = `
Each event is sent to each subscription as a POST of JSON in UTF-8. Respond with 2xx as soon as you have stored it, and process it afterwards.

## Headers
| Header | Value |
|---|---|
| \`X-Webhook-Signature\` | HMAC-SHA256 of the raw body in lower-case hex. The key is the signing secret as text, \`whsec_\` included. |
| \`X-Webhook-Event\` | The event type, for example \`participant.registered\`. |
| \`X-Webhook-Id\` | The id of the attempt, as in the \`id\` of the body. |
| \`X-Webhook-Timestamp\` | When the attempt was made, in Unix seconds. |
| \`webhook-id\`, \`webhook-timestamp\`, \`webhook-signature\` | The same as [Standard Webhooks](https://www.standardwebhooks.com) defines them; its libraries take the secret as it is. \`webhook-id\` identifies the delivery and stays the same over retries. |

## Verifying the signature
- Compute the digest of the bytes that arrived, before any framework parses them, and compare in constant time.
- \`X-Webhook-Signature\` covers the body alone. \`webhook-signature\` covers the time and the id as well: when you use it, reject requests older than five minutes.
- After a rotation \`webhook-signature\` has one signature for each secret while both are valid; \`X-Webhook-Signature\` uses the new secret at once.

## Duplicates and order
- An event arrives at least once. Remember \`event.id\` and skip events you have already processed; it stays the same over retries and replays.
- First attempts go out in the order of the changes, several at a time. Where the order matters, compare \`event.timestamp\` or read the resource again.
- Fields may be added to a payload at any time. A change that would break an existing receiver raises \`event.version\`.

## Retries
- Anything but 2xx within the subscription's \`timeoutMs\` (10 seconds by default) is retried, by default six times: after
  5 and 20 seconds, then about 1, 5, 21 and 85 minutes. Redirects are not followed. Nothing is sent later than 24 hours after the event.
- \`Retry-After\` with 429 or 503 delays every delivery of the subscription for that long. 410 disables the subscription.
- After ten failures in a row (by default) the circuit breaker holds deliveries and sends one each minute until one succeeds.
- Each attempt is kept for 30 days with its request and response, under **Webhooks** in the project and at \`GET /webhooks/subscriptions/{id}/deliveries\`. Replay any of them from there.

## Testing
\`POST /webhooks/subscriptions/{id}/test\` sends a \`webhook.test\` at once. Webhooks only go to public addresses; the administrator of the instance may
allow private ones with \`WEBHOOK_ALLOWED_CIDRS\`, for example \`127.0.0.0/8\` for a receiver on the same machine.
`.trim();

/** The document's sections in order, with their descriptions. A tag that is not here comes last. */
export const tagDescriptions: Record<string, string> = {
  'Data API': "Read a project's tournaments with an API key.",
  'Anti-cheat': 'Report from your game servers with an API key.',
  Tournaments: 'Find, create, publish and run tournaments.',
  Participants: 'Register, check in and manage participants.',
  Brackets: 'Draw, start, and read brackets and standings.',
  Matches: 'Report, confirm and rule on results.',
  Stations: 'Where matches are played, calls to them, and the stream queue.',
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
