-- State of the embedded executor (src/embedded/inngest). Written and read by it alone, through pg; Prisma does not model it.
-- There are no foreign keys: rows of one run are written in one transaction, and a key check a row costs a third of the throughput.
CREATE SCHEMA "local_inngest";

-- JSON is kept as text: it is never searched, and jsonb refuses the NUL characters that foreign payloads may hold.
CREATE TABLE "local_inngest"."events" (
  -- The sender's id, or one made for it. A second event with the same id within 24 hours is dropped.
  "id" text PRIMARY KEY,
  -- The order in which events are handed to functions.
  "seq" bigint GENERATED ALWAYS AS IDENTITY,
  "name" text NOT NULL,
  "body" text NOT NULL,
  -- Set on cron ticks: the one function that is started.
  "target" text,
  "received_at" timestamptz NOT NULL DEFAULT now(),
  "dispatched_at" timestamptz
);
CREATE INDEX "events_waiting" ON "local_inngest"."events" ("seq") WHERE "dispatched_at" IS NULL;
CREATE INDEX "events_received_at" ON "local_inngest"."events" ("received_at");

CREATE TABLE "local_inngest"."runs" (
  "id" text PRIMARY KEY,
  "function_id" text NOT NULL,
  "status" text NOT NULL DEFAULT 'running' CHECK ("status" IN ('running', 'completed', 'failed', 'cancelled')),
  "event_id" text NOT NULL,
  -- The event that started the run, as JSON; a copy, since a run may sleep for longer than events are kept.
  "event" text NOT NULL,
  -- Finished steps, one JSON object a line, in the order in which they finished.
  "steps" text NOT NULL DEFAULT '',
  -- Ids of the steps that must finish before the function is called again, with spaces between.
  "pending" text NOT NULL DEFAULT '',
  -- The function was last seen with several steps side by side.
  "parallel" boolean NOT NULL DEFAULT false,
  -- Of the function's own idempotency expression; null again after 24 hours.
  "idempotency_key" text UNIQUE,
  "concurrency_keys" text[] NOT NULL DEFAULT '{}',
  "concurrency_limits" integer[] NOT NULL DEFAULT '{}',
  -- What the function returned, or the error that ended it, as JSON.
  "output" text,
  "created_at" timestamptz NOT NULL DEFAULT now(),
  "ended_at" timestamptz
) WITH (fillfactor = 80);
CREATE INDEX "runs_ended_at" ON "local_inngest"."runs" ("ended_at") WHERE "ended_at" IS NOT NULL;

CREATE TABLE "local_inngest"."jobs" (
  "id" bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  "run_id" text NOT NULL,
  "function_id" text NOT NULL,
  -- run: call the function; step: call it for one step; sleep, timeout: settle a step at its time.
  "kind" text NOT NULL CHECK ("kind" IN ('run', 'step', 'sleep', 'timeout')),
  "step_id" text,
  "at" timestamptz NOT NULL DEFAULT now(),
  -- Failed tries of this call so far.
  "attempt" integer NOT NULL DEFAULT 0,
  -- Leases that expired in a row without a result: the process died or hung.
  "lost" integer NOT NULL DEFAULT 0,
  -- Counts the claims; a result is taken only from the holder of the newest.
  "generation" integer NOT NULL DEFAULT 0,
  "concurrency_keys" text[] NOT NULL DEFAULT '{}',
  "concurrency_limits" integer[] NOT NULL DEFAULT '{}',
  "leased_by" text,
  "leased_until" timestamptz,
  -- The full concurrency key that keeps this job out of the queue.
  "parked_on" text
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
CREATE INDEX "jobs_due" ON "local_inngest"."jobs" ("at", "id") WHERE "leased_by" IS NULL AND "parked_on" IS NULL;
CREATE INDEX "jobs_leased" ON "local_inngest"."jobs" ("leased_until") WHERE "leased_by" IS NOT NULL;
CREATE INDEX "jobs_parked" ON "local_inngest"."jobs" ("parked_on", "at", "id") WHERE "parked_on" IS NOT NULL;
CREATE INDEX "jobs_run" ON "local_inngest"."jobs" ("run_id");

-- Events that a run waits for, or that cancel it.
CREATE TABLE "local_inngest"."waits" (
  "run_id" text NOT NULL,
  -- The waiting step, or cancel:<n> for the function's n-th cancelOn.
  "step_id" text NOT NULL,
  "event_name" text NOT NULL,
  -- Where in the event the value is found; both are empty where every event of that name counts.
  "match_path" text NOT NULL DEFAULT '',
  "match_value" text NOT NULL DEFAULT '',
  "expires_at" timestamptz,
  PRIMARY KEY ("run_id", "step_id")
);
CREATE INDEX "waits_event" ON "local_inngest"."waits" ("event_name", "match_path", "match_value");

-- The next tick of each cron trigger; whoever moves it on starts the run.
CREATE TABLE "local_inngest"."schedules" (
  "function_id" text NOT NULL,
  "cron" text NOT NULL,
  "next_at" timestamptz NOT NULL,
  PRIMARY KEY ("function_id", "cron")
);
