import pg, { type PoolClient, type QueryConfig, type QueryResult, type QueryResultRow } from 'pg';
import { decodeTime } from 'ulid';
import { newId } from '@/domain/ids';
import { type Filters, passesFilters } from '@/domain/webhooks/filters';
import { env } from '@/env';
import { deliveryPool, plainArray } from '@/server/db';
import { leaseEndSql, onConnection } from '@/server/delivery/attempts/claim';
import {
  ClaimedAttempt,
  type EventClaim,
  type OpenSender,
  openSender,
  type SenderSettings,
} from '@/server/delivery/attempts/prepare';
import { leaveForLater, type Receivers, type Rest } from '@/server/delivery/later';
import { expirySql } from '@/server/delivery/queue/expire';
import { holdReasonSql, queuedStatusSql } from '@/server/delivery/queue/hold';
import { failingFrom } from '@/server/delivery/queue/next-run';
import type { DeliveryEvent } from '@/server/delivery/request/payload';
import type { QueueOwner } from '@/server/delivery/sending/send-queue';
import { newClaimId } from '@/server/delivery/sending/worker';
import { Turns } from '@/server/delivery/turns';
import { typesFor } from '@/server/events/catalog/catalog';
import { projectTurnSql } from '@/server/events/project-turn';

/**
 * What is taken of one project at a time: events, and deliveries that they may lead to. Where several projects have events,
 * or had a moment ago, each gets the same share, so that neither a backlog nor many subscriptions of one delay another: a
 * small one, or as much as the project with the second most needs. Those with the fewest waiting come first, with all that
 * they have: fifty projects with backlogs share what is left of a short turn. Alone, a project gets all. In the same way, those
 * who created projects share first: the many projects of one person get no more than the one of another, or one event each.
 */
export const perProject = { events: 128, deliveries: 128, shared: 16 };
/** Projects that are taken from at a time, and whose turns these take. Where more have events, the next turn begins behind them. */
export const maxProjects = 64;

const columns = `e.sequence, e."projectId", e.type, e.version, e."aggregateType", e."aggregateId", e.payload, e.metadata, e."occurredAt"`;

/** What each of `count` gets of `all`: an equal share, or as little as the one with the second most needs (`second`). */
const shareSql = (all: string, count: string, second: string) =>
  `least(${all} / ${count}, greatest(${perProject.shared}, coalesce(${second}, 0)))`;
/** The first project with events of whoever's turn `b.id` is, from the expression `from` on. */
const firstProjectSql = (from: string) => `(SELECT n."projectId" FROM pending_event n
            WHERE n.turn = b.id AND n."projectId" ${from} ORDER BY n."projectId" LIMIT 1)`;

// An event that was deleted in the meantime has no type. A project that rests takes no place, nor does whose turn it would be: as many
// as a turn comes to would otherwise keep it from all others.
const NEW_EVENTS = `
  blocks AS (
    (SELECT turn AS id, 1 AS place FROM pending_event WHERE turn >= $4 ORDER BY turn LIMIT 1)
    UNION ALL
    SELECT (SELECT n.turn FROM pending_event n WHERE n.turn > b.id ORDER BY n.turn LIMIT 1), b.place + (b.id <> ALL ($9))::int
    FROM blocks b WHERE b.id IS NOT NULL AND b.place <= ${maxProjects}
  ), near AS MATERIALIZED (
    SELECT id, greatest(1, ${maxProjects} / count(*) OVER ()) AS places FROM blocks WHERE id IS NOT NULL AND place <= ${maxProjects}
  ), projects AS MATERIALIZED (
    SELECT b.id AS turn, p.id, p.place > b.places AS beyond FROM near b CROSS JOIN LATERAL (
      WITH RECURSIVE own AS (
        SELECT coalesce(${firstProjectSql('>= ($7::jsonb->>b.id) AND n."projectId" <> ALL ($6)')}, ${firstProjectSql(`>= ''`)}) AS id, 1 AS place
        UNION ALL
        SELECT ${firstProjectSql('> o.id')}, o.place + (o.id <> ALL ($6))::int FROM own o
        WHERE o.id IS NOT NULL AND o.place <= b.places
      ) SELECT id, place FROM own WHERE id IS NOT NULL) p
  ), waiting AS (
    SELECT w.*, w.events * w.fan AS need FROM (
      SELECT p.turn, p.id, greatest(1, (SELECT count(*) FROM webhook_subscription s WHERE s."projectId" = p.id)) AS fan,
        (SELECT count(*) FROM (SELECT FROM pending_event n WHERE n.turn = p.turn AND n."projectId" = p.id
          ORDER BY sequence LIMIT ${perProject.events}) n) AS events
      FROM projects p WHERE NOT p.beyond AND p.id <> ALL ($6) OFFSET 0) w
  ), turns AS (
    SELECT turn, sum(need)::bigint AS need, count(*) AS projects, (array_agg(need ORDER BY need DESC))[2] AS second
    FROM waiting GROUP BY turn
  ), budgets AS (
    SELECT *, sum(need) OVER (ORDER BY need, turn) <= ${perProject.deliveries / 2} AS goes,
      CASE WHEN count(*) OVER () > 1 OR $8
        THEN ${shareSql(`${perProject.deliveries}`, 'count(*) OVER ()', '(SELECT need FROM turns ORDER BY need DESC OFFSET 1 LIMIT 1)')}
        ELSE ${perProject.deliveries} END AS budget
    FROM turns
  ), shortest AS (
    SELECT w.*, CASE WHEN b.projects > 1 OR ($5 AND NOT $8) THEN ${shareSql('b.budget', 'b.projects', 'b.second')} ELSE b.budget END AS deliveries,
      b.goes OR sum(w.need) OVER (PARTITION BY turn ORDER BY w.need, w.id) <= b.budget / 2 AS goes
    FROM waiting w JOIN budgets b USING (turn)
  ), shares AS (
    SELECT turn, id, fan, least(${perProject.events}, greatest(1, CASE WHEN goes THEN events ELSE deliveries / fan END))::int AS share
    FROM shortest
  ), locked AS MATERIALIZED (
    SELECT p.turn, p.id, p.share, p.fan, n."eventId", n.attempted FROM shares p CROSS JOIN LATERAL (
      SELECT "eventId", attempted FROM pending_event WHERE turn = p.turn AND "projectId" = p.id
      ORDER BY sequence LIMIT p.share FOR UPDATE SKIP LOCKED) n
  ), taken AS MATERIALIZED (
    SELECT n."eventId" AS id, n.attempted, n.fan::int AS webhooks, n.turn, count(*) OVER (PARTITION BY n.id) >= n.share AS full,
      (SELECT id FROM blocks WHERE place > ${maxProjects}) AS "nextTurn",
      (SELECT p.id FROM projects p WHERE p.turn = n.turn AND p.beyond) AS "nextProject", ${columns} FROM locked n
    LEFT JOIN LATERAL (SELECT * FROM domain_event WHERE id = n."eventId" LIMIT 1) e ON true
  )`;

/** Whether subscription `s` lists the type of event `t`, by name, by group or with all. */
const acceptsSql = `s.events && ARRAY[t.type, split_part(t.type, '.', 1) || '.*', '*']`;

/**
 * Subscriptions that may hear about the user of event `t`. The instance has too many to read all for each event; `OFFSET 0` keeps
 * PostgreSQL from planning that.
 */
const aboutUserSql = `
        SELECT o.id FROM (
          SELECT m."projectId" AS id FROM member m WHERE m."userId" = t."aggregateId"
          UNION SELECT c."projectId" FROM participant q JOIN tournament c ON c.id = q."tournamentId"
                WHERE q."userId" = t."aggregateId" AND q."acceptedAt" IS NOT NULL) p
        CROSS JOIN LATERAL (SELECT id FROM webhook_subscription WHERE "projectId" = p.id OFFSET 0) o
        UNION SELECT o.id FROM "user" u
        CROSS JOIN LATERAL (SELECT id FROM webhook_subscription WHERE "createdById" = u.id OFFSET 0) o
        WHERE u."instanceAdmin" OR (u."emailVerifiedAt" IS NOT NULL AND u.email = ANY ($1))`;

/**
 * Events with the filters of the subscriptions that they may go to, by their ids; the audience of its type decides. An event
 * about a user goes to projects that the user is a member of or has registered with, and to subscriptions created by an
 * instance admin.
 */
const TAKE = {
  name: 'webhook_take',
  text: `
  WITH RECURSIVE ${NEW_EVENTS}
  SELECT t.*, now() AS "sentAt", (
    SELECT json_object_agg(m.id, m.filters) FROM (
      SELECT s.id, s.filters FROM webhook_subscription s
      WHERE s."projectId" = t."projectId" AND ${acceptsSql} AND t.type <> ALL ($3)
      UNION ALL
      SELECT s.id, NULL FROM webhook_subscription s
      WHERE t.type = ANY ($3) AND s.id = t."aggregateId" AND s."projectId" = t."projectId"
      UNION ALL
      SELECT s.id, s.filters FROM webhook_subscription s
      WHERE t."projectId" IS NULL AND t.type = ANY ($2) AND ${acceptsSql} AND s.id = ANY (ARRAY(${aboutUserSql}))) m
  ) AS audience
  FROM taken t ORDER BY t.sequence`,
};

// The limit keeps PostgreSQL from reading what is due to all subscriptions.
const isDueSql = (status: 'pending' | 'held') => `(SELECT true FROM webhook_delivery o
        WHERE o."subscriptionId" = s.id AND o.status = '${status}' AND o."nextAttemptAt" <= now() LIMIT 1)`;
/** Whether a new delivery of subscription `s` may be sent at once: nothing holds it, limits it, or waits before it. */
const readySql = `(${holdReasonSql} IS NULL AND (s."holdUntil" IS NULL OR s."holdUntil" <= now()) AND s."rateLimitConfig" IS NULL
      AND s."consecutiveFailures" < ${failingFrom} AND ${isDueSql('pending')} IS NULL AND ${isDueSql('held')} IS NULL)`;

/** Notes that emails are to be written about the events in $2. */
const EMAILED = `emailed AS (INSERT INTO pending_email ("eventId", at)
  SELECT id, now() FROM unnest($2::text[]) AS e (id) ON CONFLICT DO NOTHING)`;
const HANDLE = {
  name: 'webhook_handled',
  text: `WITH ${EMAILED} DELETE FROM pending_event WHERE "eventId" = ANY ($1)`,
};

// What can be sent at once is claimed as it is made, so that nothing stands between the event and its request. Where that is
// all that becomes of an event, the event is claimed, and its deliveries are stored with their results. The lock leaves out
// subscriptions that were deleted in the meantime, or are being deleted. One that sends nothing gets its deliveries held.
const MAKE_DELIVERIES = `
  WITH v AS (
    SELECT * FROM unnest($3::text[], $4::text[], $5::text[], $6::boolean[], $8::boolean[], $9::timestamptz[])
      WITH ORDINALITY AS v (id, sub, event, wanted, direct, attempted, ord)
  ), s AS MATERIALIZED (
    SELECT s.*, ${readySql} AS ready, ${leaseEndSql} AS lease, ${holdReasonSql} AS reason, ${queuedStatusSql} AS queued
    FROM webhook_subscription s WHERE s.id = ANY ($4) FOR KEY SHARE SKIP LOCKED
  ), w AS MATERIALIZED (
    SELECT v.*, s."projectId", s.lease, s.reason, s.queued, v.wanted AND s.ready AS claimed,
      bool_and(v.direct AND s.ready) OVER (PARTITION BY v.event) AS whole
    FROM v JOIN s ON s.id = v.sub
  ), claim AS (
    INSERT INTO event_claim (id, until, deliveries) SELECT $7, max(lease), json_object_agg(event, deliveries) FROM (
      SELECT event, max(lease) AS lease, json_object_agg(sub, id) AS deliveries FROM w WHERE whole GROUP BY event) e
    HAVING count(*) > 0
  ), handled AS (
    DELETE FROM pending_event WHERE "eventId" = ANY ($1)
  ), ${EMAILED}, made AS (
    INSERT INTO webhook_delivery (id, "subscriptionId", "projectId", "eventId", "eventType", "isTest", status, "heldReason",
      "claimId", "attemptCount", "claimedUntil", "nextAttemptAt", "expiresAt", "createdAt", "updatedAt")
    SELECT w.id, w.sub, w."projectId", e.id, e.type, e.type = 'webhook.test', w.queued, w.reason, CASE WHEN w.claimed THEN $7 END,
      CASE WHEN w.claimed OR w.attempted IS NOT NULL THEN 1 ELSE 0 END, CASE WHEN w.claimed THEN w.lease END,
      CASE WHEN w.claimed THEN w.lease ELSE now() END, ${expirySql},
      coalesce(w.attempted, now()), coalesce(w.attempted, now())
    FROM w JOIN domain_event e ON e.id = w.event WHERE NOT w.whole
    ORDER BY w.ord
    ON CONFLICT ("eventId", "subscriptionId") DO NOTHING
    RETURNING id, "subscriptionId", "claimId" IS NOT NULL AS claimed, coalesce("heldReason"::text, 'none') AS held
  ), m AS (
    SELECT "subscriptionId", claimed, held, true AS stored, string_agg(id, ',') AS ids FROM made GROUP BY 1, 2, 3
    UNION ALL SELECT sub, true, 'none', false, string_agg(id, ',') FROM w WHERE whole GROUP BY sub
  )
  SELECT m.*,
    CASE WHEN m.claimed THEN json_build_object(
      'url', s.url, 'timeoutMs', s."timeoutMs", 'maxRetries', s."maxRetries", 'retryBaseDelayMs', s."retryBaseDelayMs",
      'retryBackoffMultiplier', s."retryBackoffMultiplier", 'signPayload', s."signPayload",
      'signingSecretEncrypted', s."signingSecretEncrypted",
      'previousSecretEncrypted', CASE WHEN s."previousSecretUntil" > now() THEN s."previousSecretEncrypted" END,
      'authSecretEncrypted',
        CASE WHEN s."authMode" IN ('bearer_token', 'basic_auth', 'custom_header') THEN s."authSecretEncrypted" END,
      'projectId', s."projectId", 'turn', ${projectTurnSql('s."projectId"')}, 'consecutiveFailures', s."consecutiveFailures",
      'threshold', CASE WHEN s."enableCircuitBreaker" THEN s."circuitBreakerThreshold" END) END AS settings
  FROM m JOIN s ON s.id = m."subscriptionId"`;

const repeated = new Set([pg.types.builtins.JSON, pg.types.builtins.TIMESTAMPTZ]);
/** One value after another is the same in columns of these types, such as the audience, and is read once. */
const types: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    const parse = pg.types.getTypeParser(oid, format);
    if (!repeated.has(oid)) return parse;
    let last: { text: string; value: unknown } | null = null;
    return (text: string) => {
      if (last?.text !== text) last = { text, value: parse(text) };
      return last.value;
    };
  },
};

type TakenEvent = DeliveryEvent & {
  projectId: string | null;
  /** How many its project has, at least one. */
  webhooks: number;
  /** Whose turn it took. */
  turn: string;
  /** Whether so many events of its project were taken as one may have at a time. */
  full: boolean;
  /** Whose events this turn did not come to; null: it came to all from the first one on. */
  nextTurn: string | null;
  /** The first project with the same turn that it did not come to; null: it came to all from the first one on. */
  nextProject: string | null;
  sentAt: Date;
  /** Deliveries whose claims with the event were lost, by their subscriptions. */
  attempted: Record<string, string> | null;
  audience: Record<string, Partial<Filters> | null> | null;
};

/** Deliveries of a subscription that have the same to be done about them. */
type MadeDeliveries = {
  subscriptionId: string;
  /** Their ids, separated by commas. */
  ids: string;
  /** Otherwise they are claimed with their events, and stored with their results. */
  stored: boolean;
  held: 'none' | 'paused' | 'disabled' | 'breaker';
  /** Null: nobody has claimed them. */
  settings: (SenderSettings & Omit<QueueOwner, 'id' | 'rateLimited'>) | null;
};

type Wanted = { id: string; subscriptionId: string; event: TakenEvent };

/** What a batch of events led to. */
export type FanOut = {
  /** The events, in order. */
  events: TakenEvent[];
  /** Deliveries that this process has claimed and sends now; those of projects with few of them come first. */
  claimed: { owner: QueueOwner; attempts: ClaimedAttempt[] }[];
  /** Subscriptions that got deliveries which nobody has claimed, and whose queues are to be run. */
  due: string[];
  /** Whether more events may wait to be taken. */
  more: boolean;
  /** Projects of which the last events are left for later. */
  rests: Rest[];
};

/**
 * Takes committed events that no process has taken and makes their deliveries.
 * @param emailed types of events that emails are written about
 * @param turns what the turns before this one were about
 */
export function takeEvents(receivers: Receivers, emailed: readonly string[], turns = new Turns()): Promise<FanOut> {
  const { first, shared } = turns;
  const take = async (client: PoolClient) => {
    const resting = turns.endRests();
    const values = [
      env.INSTANCE_ADMINS,
      typesFor('user'),
      typesFor('subscription'),
      first.turn,
      shared.projects,
      resting.projects,
      JSON.stringify(Object.fromEntries(first.projects)),
      shared.turns,
      resting.turns,
    ];
    const [, { rows }] = await Promise.all([
      client.query('BEGIN'),
      client.query<TakenEvent>({ ...TAKE, values, types }),
    ]);
    const made = await makeDeliveries(client, rows, receivers, emailed, turns);
    // Behind the last one, the next turn begins with the first one again.
    const cameFromMiddle = first.turn !== '' || rows.some(({ turn }) => first.projects.has(turn));
    turns.note(rows, made.claimed, made.rests);
    const leftInVain = made.rests.some(({ projectId }) => !turns.waits(projectId));
    return { ...made, more: made.more || leftInVain || cameFromMiddle };
  };
  return onConnection(deliveryPool, take);
}

/** Runs a statement and commits, without a round trip in between. Where the statement fails, nothing is committed. */
async function commitWith<Row extends QueryResultRow>(
  client: PoolClient,
  statement: QueryConfig,
): Promise<QueryResult<Row>> {
  const [result] = await Promise.all([client.query<Row>(statement), client.query('COMMIT')]);
  return result;
}

async function makeDeliveries(
  client: PoolClient,
  taken: TakenEvent[],
  receivers: Receivers,
  emailed: readonly string[],
  turns: Turns,
): Promise<FanOut> {
  const known = taken.filter(({ type }) => type !== null);
  if (taken.length === 0) {
    await client.query('COMMIT');
    return { events: known, claimed: [], due: [], more: false, rests: [] };
  }
  // The delivery of a test is made, and maybe sent, before its event is taken.
  const made: string[] = typesFor('subscription');
  const room = new Map<string, number>();
  const led = known.map((event) => {
    const wanted = Object.entries(event.audience ?? {}).flatMap(([subscriptionId, filters]) => {
      if (filters && !passesFilters(filters, event)) return [];
      const lost = event.attempted?.[subscriptionId];
      const free = lost ? 0 : (room.get(subscriptionId) ?? receivers.room(subscriptionId));
      if (!lost) room.set(subscriptionId, free - 1);
      const claim = free > 0;
      const direct = claim && event.attempted === null && !made.includes(event.type);
      const attempted = lost ? new Date(decodeTime(lost.slice('whd_'.length))) : null;
      return [{ id: lost ?? newId('whd'), subscriptionId, event, claim, direct, attempted }];
    });
    return { event, wanted };
  });
  const { left, rests } = leaveForLater(led, receivers, (projectId) => turns.mayLeave(projectId));
  const resting = new Set<string | null>(rests.map(({ projectId }) => projectId));
  const more = taken.some(
    ({ full, nextTurn, nextProject, projectId }) =>
      (full && !resting.has(projectId)) || nextTurn !== null || nextProject !== null,
  );
  const handling = taken.filter((event) => !left.has(event));
  const events = known.filter((event) => !left.has(event));
  const wanted = led.flatMap((each) => (left.has(each.event) ? [] : each.wanted));
  const toEmail = events.filter(({ type, attempted }) => attempted === null && emailed.includes(type));
  const handled = [handling, toEmail].map((part) => part.map(({ id }) => id));
  if (wanted.length === 0) {
    await commitWith(client, { ...HANDLE, values: handled });
    return { events, claimed: [], due: [], more, rests };
  }
  const claimId = newClaimId();
  const { rows } = await commitWith<MadeDeliveries>(client, {
    name: 'webhook_make',
    text: MAKE_DELIVERIES,
    values: [
      ...handled,
      plainArray(wanted, (row) => row.id),
      plainArray(wanted, (row) => row.subscriptionId),
      plainArray(wanted, (row) => row.event.id),
      plainArray(wanted, (row) => row.claim),
      claimId,
      plainArray(wanted, (row) => row.direct),
      plainArray(wanted, (row) => row.attempted),
    ],
  });
  return { events, ...sortOut(wanted, rows, claimId), more, rests };
}

/** The requests of what was claimed, by subscription and in order, and the subscriptions with something else to send. */
function sortOut(wanted: Wanted[], rows: MadeDeliveries[], claimId: string): Pick<FanOut, 'claimed' | 'due'> {
  const due = new Set<string>();
  const claimedWith: EventClaim = { id: claimId, unstored: 0 };
  /** By their ids, whether they are stored. */
  const stored = new Map<string, boolean>();
  const groups = new Map<string, { owner: QueueOwner; sender: OpenSender; attempts: ClaimedAttempt[] }>();
  for (const { subscriptionId, ids, held, settings, ...made } of rows) {
    if (settings) {
      const { projectId, turn, threshold, consecutiveFailures } = settings;
      const sender = openSender({ subscriptionId, claimId, probe: false }, settings);
      const owner = { id: subscriptionId, projectId, turn, threshold, consecutiveFailures, rateLimited: false };
      groups.set(subscriptionId, { owner, sender, attempts: [] });
      for (const id of ids.split(',')) stored.set(id, made.stored);
    } else if (held === 'none' || held === 'breaker') due.add(subscriptionId);
  }
  for (const { id, subscriptionId, event } of wanted) {
    const group = groups.get(subscriptionId);
    const isStored = stored.get(id);
    if (!group || isStored === undefined) continue;
    const { sentAt } = event;
    const delivery = { id, attemptCount: 1, replayedAt: null, claimedBefore: sentAt, sentAt, event };
    if (!isStored) claimedWith.unstored += 1;
    group.attempts.push(new ClaimedAttempt(group.sender, delivery, null, isStored ? null : claimedWith));
  }
  const ofProject = new Map<string, number>();
  for (const { owner, attempts } of groups.values()) {
    ofProject.set(owner.projectId, (ofProject.get(owner.projectId) ?? 0) + attempts.length);
  }
  const size = (group: { owner: QueueOwner }) => ofProject.get(group.owner.projectId) ?? 0;
  const claimed = [...groups.values()].map(({ owner, attempts }) => ({ owner, attempts }));
  return { claimed: claimed.sort((a, b) => size(a) - size(b)), due: [...due] };
}
