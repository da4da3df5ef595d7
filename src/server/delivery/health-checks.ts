import { setTimeout as pause } from 'node:timers/promises';
import { queuePool } from '@/server/db';
import { takeTurnsAs } from '@/server/delivery/outbound/handshake';
import { healthCheckAgent } from '@/server/delivery/outbound/policy';
import { type OutgoingRequest, type RequestResult, sendRequest } from '@/server/delivery/outbound/post';
import { userAgent } from '@/server/delivery/request/request';
import { handshakes } from '@/server/delivery/sending/handshakes';
import { projectTurnSql } from '@/server/events/project-turn';

/**
 * Checks that run side by side, in all and for one project; time limit of one; no new ones start after the budget. Where
 * projects hold all places, one that has none gets another, up to `most`, of which projects with one turn have half.
 */
const parallel = 40;
const perProject = parallel / 4;
const most = 4 * parallel;
const perTurn = most / 2;
const maxTimeoutMs = 10_000;
const budgetMs = 40_000;
/** Between two claims: a project with hundreds of checks that are answered at once makes them over some seconds. */
const pauseMs = 250;
/** While checks run, what becomes due is looked for this often. */
const lookMs = 1_000;

/** Status codes that a check expects where the subscription names none. */
const defaultStatusCodes = [200, 204];

/** A check that this process makes now. */
type DueCheck = {
  subscriptionId: string;
  projectId: string;
  turn: string;
  url: string;
  timeoutMs: number;
  expected: number[];
};

// Claiming a check marks it as made, so that no other process makes it and a crash costs one interval. Whoever has the
// fewest under way comes first (see `projectTurnSql`), and of theirs the project with the fewest: $2 and $3 are the projects that have some,
// and how many more each may have; $5 and $6 the same of turns. $1 are the places that are free, and $4 those for projects without any. Its lock is none that a deletion takes: who stores deliveries would
// take the subscription for one that is being deleted.
export const CLAIM = `
  UPDATE webhook_subscription s SET "healthCheckedAt" = now()
  WHERE s.id IN (
    SELECT id FROM webhook_subscription WHERE id IN (
      SELECT id FROM (
        SELECT *, row_number() OVER (ORDER BY "placeInTurn" + ${perTurn} - "freeInTurn", "healthCheckedAt" NULLS FIRST) AS number
        FROM (
          SELECT due.*, coalesce(busy.free, ${perTurn}) AS "freeInTurn",
            row_number() OVER (PARTITION BY due.turn ORDER BY place + ${perProject} - due.free, "healthCheckedAt" NULLS FIRST) AS "placeInTurn"
          FROM (
          SELECT s.id, row_number() OVER (PARTITION BY "projectId" ORDER BY "healthCheckedAt" NULLS FIRST) AS place, "healthCheckedAt",
            coalesce(busy.free, ${perProject}) AS free, coalesce(p."createdFrom", p."createdById", p.id) AS turn
          FROM webhook_subscription s JOIN project p ON p.id = s."projectId"
          LEFT JOIN unnest($2::text[], $3::int[]) AS busy (project, free) ON busy.project = "projectId"
          WHERE "healthCheck" IS NOT NULL AND status <> 'disabled' AND "healthCheck" -> 'enabled' = 'true'
            AND ("healthCheckedAt" IS NULL OR "healthCheckedAt" + make_interval(secs => ("healthCheck" ->> 'intervalSeconds')::int - 1) <= now())
          ) due LEFT JOIN unnest($5::text[], $6::int[]) AS busy (turn, free) ON busy.turn = due.turn
          WHERE place <= due.free
        ) fair WHERE "placeInTurn" <= "freeInTurn"
      ) next WHERE number <= $1 OR (number <= $4 AND place = 1 AND free = ${perProject}))
    AND ("healthCheckedAt" IS NULL OR "healthCheckedAt" + make_interval(secs => ("healthCheck" ->> 'intervalSeconds')::int - 1) <= now())
    FOR NO KEY UPDATE SKIP LOCKED)
  RETURNING s.id AS "subscriptionId", s."projectId", ${projectTurnSql('s."projectId"')} AS turn, coalesce(s."healthCheck" ->> 'url', s.url) AS url, s."timeoutMs",
    ARRAY(SELECT jsonb_array_elements_text(s."healthCheck" -> 'expectedStatusCodes')::int) AS expected`;

const SAVE = `
  UPDATE webhook_subscription SET "healthStatus" = $2, "healthDetail" = $3, "healthCheckedAt" = now()
  WHERE id = $1 AND "healthCheck" IS NOT NULL`;

/** Whether a complete response had an expected status, with one sentence about it. */
export function evaluateHealth(
  result: Pick<RequestResult, 'status' | 'errorMessage' | 'durationMs'> & { errorClass: string | null },
  expected: readonly number[],
): { status: 'healthy' | 'unhealthy'; detail: string } {
  const { status, errorClass, errorMessage, durationMs } = result;
  const codes = expected.length > 0 ? expected : defaultStatusCodes;
  const complete = status !== null && (errorClass === null || errorClass.startsWith('http_'));
  if (!complete) return { status: 'unhealthy', detail: errorMessage ?? 'No response.' };
  if (codes.includes(status)) return { status: 'healthy', detail: `Responded with ${status} in ${durationMs} ms.` };
  return { status: 'unhealthy', detail: `Responded with ${status}; expected ${codes.join(', ')}.` };
}

/** @returns whether TLS handshakes of the project leave it a request before `until` */
async function waitForHandshakes(projectId: string, until: number): Promise<boolean> {
  for (;;) {
    const waitMs = handshakes.waitMs(projectId);
    if (waitMs === 0) return true;
    if (performance.now() + waitMs > until) return false;
    await pause(waitMs);
  }
}

async function check({ subscriptionId, projectId, url, timeoutMs, expected }: DueCheck, until: number): Promise<void> {
  if (!(await waitForHandshakes(projectId, until))) return;
  const ended = handshakes.begin(projectId);
  const request: OutgoingRequest = {
    url,
    method: 'GET',
    headers: { 'user-agent': userAgent, accept: '*/*', 'accept-encoding': 'identity' },
    body: null,
    timeoutMs: Math.min(timeoutMs, maxTimeoutMs),
  };
  const result = await sendRequest(healthCheckAgent(), request, projectId);
  ended(result.heldUpMs, result.isOdd);
  const { status, detail } = evaluateHealth(result, expected);
  await queuePool.query({ name: 'webhook_health_save', text: SAVE, values: [subscriptionId, status, detail] });
}

/**
 * Makes the health checks that are due, the longest overdue first, and of each project only so many at a time that
 * others are not kept waiting. What the budget leaves undone waits for the next minute.
 * @param ms after this, none is begun
 * @returns how many were taken up
 */
export async function runHealthChecks(ms = budgetMs): Promise<number> {
  const until = performance.now() + ms;
  const underWay = { projects: new Map<string, number>(), turns: new Map<string, number>() };
  const running = new Set<Promise<void>>();
  let taken = 0;

  function start(due: DueCheck): void {
    takeTurnsAs(due.projectId, due.turn);
    const count = (change: number) => {
      underWay.projects.set(due.projectId, (underWay.projects.get(due.projectId) ?? 0) + change);
      underWay.turns.set(due.turn, (underWay.turns.get(due.turn) ?? 0) + change);
    };
    count(1);
    const run = check(due, until).finally(() => {
      count(-1);
      running.delete(run);
    });
    running.add(run);
    taken += 1;
  }

  while (performance.now() < until) {
    const [projects, turns] = [underWay.projects, underWay.turns].map((all) =>
      [...all].filter(([, count]) => count > 0),
    ) as [[string, number][], [string, number][]];
    const values = [
      Math.max(parallel - running.size, 0),
      projects.map(([id]) => id),
      projects.map(([, count]) => perProject - count),
      most - running.size,
      turns.map(([turn]) => turn),
      turns.map(([, count]) => perTurn - count),
    ];
    const { rows } = await queuePool.query<DueCheck>({ name: 'webhook_health_claim', text: CLAIM, values });
    rows.forEach(start);
    if (running.size === 0) break;
    await Promise.race([...running, pause(lookMs)]);
    await pause(pauseMs);
  }
  await Promise.all(running);
  return taken;
}
