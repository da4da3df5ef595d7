import type { PoolClient } from 'pg';
import { newId } from '@/domain/ids';
import { type Filters, passesFilters } from '@/domain/webhooks/filters';
import { retryWindowHours } from '@/domain/webhooks/retry';
import { env } from '@/env';
import { inTransaction, leaseEndSql } from '@/server/delivery/attempts/claim';
import { buildAttempt, type ClaimedAttempt, openSender, type SenderSettings } from '@/server/delivery/attempts/prepare';
import { holdReasonSql, queuedStatusSql } from '@/server/delivery/queue/hold';
import { failingFrom } from '@/server/delivery/queue/next-run';
import type { DeliveryEvent } from '@/server/delivery/request/payload';
import type { QueueOwner } from '@/server/delivery/sending/send-queue';
import { newClaimId } from '@/server/delivery/sending/worker';
import { typesFor } from '@/server/events/catalog/catalog';

/**
 * What is taken of one project at a time: events, and deliveries that they may lead to. Where several projects have events, each
 * gets a small share, so that neither a backlog nor many subscriptions of one delay another; alone, a project gets all.
 */
const perProject = { events: 64, deliveries: 128, shared: 16 };
/** Events of all projects that are taken at a time. */
const maxTaken = 1_024;

const columns = `id, sequence, "projectId", type, version, "aggregateType", "aggregateId", payload, metadata, "occurredAt"`;

const NEW_EVENTS = `
  projects AS (
    (SELECT coalesce("projectId", '') AS id FROM domain_event WHERE "dispatchedAt" IS NULL
     ORDER BY coalesce("projectId", '') LIMIT 1)
    UNION ALL
    SELECT (SELECT coalesce(e."projectId", '') FROM domain_event e
            WHERE e."dispatchedAt" IS NULL AND coalesce(e."projectId", '') > p.id
            ORDER BY coalesce(e."projectId", '') LIMIT 1)
    FROM projects p WHERE p.id IS NOT NULL
  ), taken AS MATERIALIZED (
    SELECT e.* FROM projects p CROSS JOIN LATERAL (
      SELECT ${columns} FROM domain_event WHERE "dispatchedAt" IS NULL AND coalesce("projectId", '') = p.id
      ORDER BY sequence LIMIT least(${perProject.events}, greatest(1,
        (SELECT CASE WHEN count(id) > 1 THEN ${perProject.shared} ELSE ${perProject.deliveries} END FROM projects)
        / greatest(1, (SELECT count(*) FROM webhook_subscription s WHERE s."projectId" = p.id)))) FOR NO KEY UPDATE SKIP LOCKED) e
    WHERE p.id IS NOT NULL LIMIT ${maxTaken}
  )`;

const NAMED_EVENTS = `
  taken AS MATERIALIZED (SELECT ${columns} FROM domain_event WHERE id = ANY ($4) ORDER BY id FOR NO KEY UPDATE)`;

/** Whether subscription `s` lists the type of event `t`, by name, by group or with all. */
const acceptsSql = `s.events && ARRAY[t.type, split_part(t.type, '.', 1) || '.*', '*']`;

/**
 * Events with the filters of the subscriptions that they may go to, by their ids; the audience of its type decides. An event
 * about a user goes to projects that the user is a member of or has registered with, and to subscriptions created by an
 * instance admin.
 */
const withAudience = (events: string) => `
  WITH RECURSIVE ${events}
  SELECT t.*, now() AS "sentAt", (
    SELECT json_object_agg(m.id, m.filters) FROM (
      SELECT s.id, s.filters FROM webhook_subscription s
      WHERE s."projectId" = t."projectId" AND ${acceptsSql} AND t.type <> ALL ($3)
      UNION ALL
      SELECT s.id, NULL FROM webhook_subscription s
      WHERE t.type = ANY ($3) AND s.id = t."aggregateId" AND s."projectId" = t."projectId"
      UNION ALL
      SELECT s.id, s.filters FROM webhook_subscription s
      WHERE t."projectId" IS NULL AND t.type = ANY ($2) AND ${acceptsSql} AND (
        EXISTS (SELECT FROM member m WHERE m."projectId" = s."projectId" AND m."userId" = t."aggregateId")
        OR EXISTS (SELECT FROM participant q JOIN tournament o ON o.id = q."tournamentId"
                   WHERE q."userId" = t."aggregateId" AND o."projectId" = s."projectId")
        OR EXISTS (SELECT FROM "user" u WHERE u.id = s."createdById" AND (u."instanceAdmin"
                   OR (u."emailVerifiedAt" IS NOT NULL AND u.email = ANY ($1)))))) m
  ) AS audience
  FROM taken t ORDER BY t.sequence`;

const TAKE = { name: 'webhook_take', text: withAudience(NEW_EVENTS) };
const READ = { name: 'webhook_read', text: withAudience(NAMED_EVENTS) };

/** Whether a new delivery of subscription `s` may be sent at once: nothing holds it, limits it, or waits before it. */
const readySql = `(${holdReasonSql} IS NULL AND (s."holdUntil" IS NULL OR s."holdUntil" <= now()) AND s."rateLimitConfig" IS NULL
      AND s."consecutiveFailures" < ${failingFrom} AND NOT EXISTS (
        SELECT FROM webhook_delivery o WHERE o."subscriptionId" = s.id AND o.status = 'pending' AND o."nextAttemptAt" <= now()))`;

// Deliveries are claimed as they are made, so that nothing stands between the event and its request. If the commit is lost with
// PostgreSQL's last moments before a crash, the events are taken again, so it does not wait for the disk. The join leaves out
// subscriptions that were deleted in the meantime. One that sends nothing gets its deliveries held.
const MAKE_DELIVERIES = `
  WITH v AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::boolean[]) WITH ORDINALITY AS v (id, sub, event, wanted, ord),
      (SELECT set_config('synchronous_commit', 'off', true) AS written) AS lazily
  ), handled AS (
    UPDATE domain_event SET "dispatchedAt" = now(),
      "emailsAt" = CASE WHEN type = ANY ($6) THEN now() END
    WHERE id = ANY ($5)
  ), s AS MATERIALIZED (
    SELECT s.*, ${readySql} AS ready, ${leaseEndSql} AS lease FROM webhook_subscription s WHERE s.id = ANY ($2)
  ), made AS (
    INSERT INTO webhook_delivery (id, "subscriptionId", "projectId", "eventId", "eventType", "isTest", status, "heldReason",
      "claimId", "attemptCount", "claimedUntil", "nextAttemptAt", "expiresAt", "updatedAt")
    SELECT v.id, s.id, s."projectId", e.id, e.type, e.type = 'webhook.test', ${queuedStatusSql}, ${holdReasonSql},
      CASE WHEN v.wanted AND s.ready THEN $7 END, CASE WHEN v.wanted AND s.ready THEN 1 ELSE 0 END,
      CASE WHEN v.wanted AND s.ready THEN s.lease END, CASE WHEN v.wanted AND s.ready THEN s.lease ELSE now() END,
      e."occurredAt" + interval '${retryWindowHours} hours', now()
    FROM v JOIN s ON s.id = v.sub JOIN domain_event e ON e.id = v.event
    ORDER BY v.ord
    ON CONFLICT ("eventId", "subscriptionId") DO NOTHING
    RETURNING id, "subscriptionId", "eventId", "claimId" IS NOT NULL AS claimed, coalesce("heldReason"::text, 'none') AS held
  )
  SELECT m.id, m."subscriptionId", m."eventId", m.claimed, m.held,
    CASE WHEN m.claimed AND row_number() OVER (PARTITION BY m."subscriptionId", m.claimed ORDER BY m.id) = 1 THEN json_build_object(
      'url', s.url, 'timeoutMs', s."timeoutMs", 'maxRetries', s."maxRetries", 'retryBaseDelayMs', s."retryBaseDelayMs",
      'retryBackoffMultiplier', s."retryBackoffMultiplier", 'signPayload', s."signPayload",
      'signingSecretEncrypted', s."signingSecretEncrypted",
      'previousSecretEncrypted', CASE WHEN s."previousSecretUntil" > now() THEN s."previousSecretEncrypted" END,
      'authSecretEncrypted',
        CASE WHEN s."authMode" IN ('bearer_token', 'basic_auth', 'custom_header') THEN s."authSecretEncrypted" END,
      'projectId', s."projectId", 'consecutiveFailures', s."consecutiveFailures",
      'threshold', CASE WHEN s."enableCircuitBreaker" THEN s."circuitBreakerThreshold" END) END AS settings
  FROM made m JOIN s ON s.id = m."subscriptionId" ORDER BY m.id`;

const HANDLED = `
  UPDATE domain_event SET "dispatchedAt" = now(), "emailsAt" = CASE WHEN type = ANY ($2) THEN now() END
  WHERE id = ANY ($1)`;

type TakenEvent = DeliveryEvent & {
  projectId: string | null;
  sentAt: Date;
  audience: Record<string, Partial<Filters> | null> | null;
};

type MadeDelivery = {
  id: string;
  subscriptionId: string;
  eventId: string;
  claimed: boolean;
  held: 'none' | 'paused' | 'disabled' | 'breaker';
  settings: (SenderSettings & Omit<QueueOwner, 'id' | 'rateLimited'>) | null;
};

/** What a batch of events led to. */
export type FanOut = {
  /** The events, in order. */
  events: TakenEvent[];
  /** Deliveries that this process has claimed and sends now. */
  claimed: { owner: QueueOwner; attempts: ClaimedAttempt[] }[];
  /** Subscriptions that got deliveries which nobody has claimed, and whose queues are to be run. */
  due: string[];
};

/**
 * Takes committed events that no process has taken and makes their deliveries.
 * @param room how many deliveries of a subscription may be claimed for sending at once
 * @param emailed types of events that emails are written about
 */
export function takeEvents(room: (subscriptionId: string) => number, emailed: readonly string[]): Promise<FanOut> {
  return inTransaction(async (client) => {
    const { rows } = await client.query<TakenEvent>({ ...TAKE, values: audienceValues() });
    return makeDeliveries(client, rows, room, emailed);
  });
}

/**
 * Makes the deliveries of committed events and claims none; calling it again makes no second ones.
 * @returns the subscriptions that have something to send because of them
 */
export async function fanOut(eventIds: string[]): Promise<string[]> {
  const { due } = await inTransaction(async (client) => {
    const { rows } = await client.query<TakenEvent>({ ...READ, values: [...audienceValues(), eventIds] });
    const order = new Map(eventIds.map((id, index) => [id, index]));
    rows.sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0));
    return makeDeliveries(client, rows, () => 0, []);
  });
  return due;
}

const audienceValues = () => [env.INSTANCE_ADMINS, typesFor('user'), typesFor('subscription')];

async function makeDeliveries(
  client: PoolClient,
  events: TakenEvent[],
  room: (subscriptionId: string) => number,
  emailed: readonly string[],
): Promise<FanOut> {
  if (events.length === 0) return { events, claimed: [], due: [] };
  const left = new Map<string, number>();
  const wanted = events.flatMap((event) =>
    Object.entries(event.audience ?? {}).flatMap(([subscriptionId, filters]) => {
      if (filters && !passesFilters(filters, event)) return [];
      const free = left.get(subscriptionId) ?? room(subscriptionId);
      left.set(subscriptionId, free - 1);
      return [{ id: newId('whd'), subscriptionId, eventId: event.id, claim: free > 0 }];
    }),
  );
  const eventIds = events.map((event) => event.id);
  if (wanted.length === 0) {
    await client.query({ name: 'webhook_handled', text: HANDLED, values: [eventIds, emailed] });
    return { events, claimed: [], due: [] };
  }
  const claimId = newClaimId();
  const { rows } = await client.query<MadeDelivery>({
    name: 'webhook_make',
    text: MAKE_DELIVERIES,
    values: [
      wanted.map((row) => row.id),
      wanted.map((row) => row.subscriptionId),
      wanted.map((row) => row.eventId),
      wanted.map((row) => row.claim),
      eventIds,
      emailed,
      claimId,
    ],
  });
  return { events, ...sortOut(events, rows, claimId) };
}

/** The requests of what was claimed, by subscription, and the subscriptions with something else to send. */
function sortOut(events: TakenEvent[], rows: MadeDelivery[], claimId: string): Pick<FanOut, 'claimed' | 'due'> {
  const byId = new Map(events.map((event) => [event.id, event]));
  const due = new Set<string>();
  const groups = new Map<
    string,
    { owner: QueueOwner; attempts: ClaimedAttempt[]; add: (id: string, event: TakenEvent) => void }
  >();
  for (const { id, subscriptionId, eventId, claimed, held, settings } of rows) {
    if (settings) {
      const { projectId, threshold, consecutiveFailures } = settings;
      const sender = openSender({ subscriptionId, claimId, probe: false }, settings);
      const attempts: ClaimedAttempt[] = [];
      const add = (deliveryId: string, event: TakenEvent) => {
        const claim = { attemptCount: 1, replayedAt: null, claimedBefore: event.sentAt, eventId: event.id };
        attempts.push(buildAttempt(sender, { ...settings, ...event, ...claim, id: deliveryId }, null));
      };
      const owner = { id: subscriptionId, projectId, threshold, consecutiveFailures, rateLimited: false };
      groups.set(subscriptionId, { owner, attempts, add });
    }
    const event = byId.get(eventId);
    if (claimed && event) groups.get(subscriptionId)?.add(id, event);
    else if (held === 'none' || held === 'breaker') due.add(subscriptionId);
  }
  return { claimed: [...groups.values()].map(({ owner, attempts }) => ({ owner, attempts })), due: [...due] };
}
