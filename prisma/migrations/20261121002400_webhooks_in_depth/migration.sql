CREATE TYPE "webhook_breaker_state" AS ENUM ('closed', 'open', 'half_open');
CREATE TYPE "webhook_health" AS ENUM ('healthy', 'unhealthy');
CREATE TYPE "held_reason" AS ENUM ('paused', 'disabled', 'breaker');
CREATE TYPE "attempt_trigger" AS ENUM ('first', 'retry', 'replay', 'probe');

ALTER TABLE "webhook_subscription"
  ADD COLUMN "previousSecretEncrypted" TEXT,
  ADD COLUMN "previousSecretUntil" TIMESTAMPTZ(3),
  ADD COLUMN "authSecretEncrypted" TEXT,
  ADD COLUMN "authLabel" TEXT,
  ADD COLUMN "rateLimitConfig" JSONB,
  ADD COLUMN "ipWhitelist" TEXT[],
  ADD COLUMN "filters" JSONB,
  ADD COLUMN "enableCircuitBreaker" BOOLEAN NOT NULL DEFAULT true,
  ADD COLUMN "circuitBreakerThreshold" INTEGER NOT NULL DEFAULT 10,
  ADD COLUMN "circuitBreakerTimeoutMs" INTEGER NOT NULL DEFAULT 60000,
  ADD COLUMN "breakerState" "webhook_breaker_state" NOT NULL DEFAULT 'closed',
  ADD COLUMN "breakerOpenedAt" TIMESTAMPTZ(3),
  ADD COLUMN "breakerRetryAt" TIMESTAMPTZ(3),
  ADD COLUMN "consecutiveFailures" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "healthCheck" JSONB,
  ADD COLUMN "healthStatus" "webhook_health",
  ADD COLUMN "healthCheckedAt" TIMESTAMPTZ(3),
  ADD COLUMN "healthDetail" TEXT,
  ADD COLUMN "holdUntil" TIMESTAMPTZ(3),
  ADD COLUMN "pausedAt" TIMESTAMPTZ(3),
  ADD COLUMN "disabledAt" TIMESTAMPTZ(3),
  ADD COLUMN "disabledReason" TEXT,
  ADD COLUMN "failingSince" TIMESTAMPTZ(3),
  ADD COLUMN "failureWarnedAt" TIMESTAMPTZ(3),
  ADD COLUMN "lastDeliveredAt" TIMESTAMPTZ(3),
  ADD COLUMN "lastAttemptAt" TIMESTAMPTZ(3);

ALTER TABLE "webhook_delivery"
  ADD COLUMN "heldReason" "held_reason",
  ADD COLUMN "isTest" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "replayCount" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "replayedAt" TIMESTAMPTZ(3);
-- Whatever waits says why.
UPDATE "webhook_delivery" SET "heldReason" = 'paused' WHERE "status" = 'held';
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_held_reason"
  CHECK (("status" = 'held') = ("heldReason" IS NOT NULL));

ALTER TABLE "webhook_attempt"
  ADD COLUMN "trigger" "attempt_trigger" NOT NULL DEFAULT 'first',
  ADD COLUMN "timings" JSONB,
  ADD COLUMN "nextAttemptAt" TIMESTAMPTZ(3);

CREATE TABLE "webhook_rate_bucket" (
    "subscriptionId" TEXT NOT NULL,
    "spanSeconds" INTEGER NOT NULL,
    "startsAt" TIMESTAMPTZ(3) NOT NULL,
    "started" INTEGER NOT NULL,

    CONSTRAINT "webhook_rate_bucket_pkey" PRIMARY KEY ("subscriptionId","spanSeconds","startsAt")
);

CREATE TABLE "webhook_replay" (
    "id" TEXT NOT NULL,
    "subscriptionId" TEXT NOT NULL,
    "projectId" TEXT NOT NULL,
    "filter" JSONB NOT NULL,
    "total" INTEGER NOT NULL,
    "done" INTEGER NOT NULL DEFAULT 0,
    "createdById" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finishedAt" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_replay_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "webhook_replay_subscriptionId_createdAt_idx" ON "webhook_replay"("subscriptionId", "createdAt");
ALTER TABLE "webhook_rate_bucket" ADD CONSTRAINT "webhook_rate_bucket_subscriptionId_fkey" FOREIGN KEY ("subscriptionId") REFERENCES "webhook_subscription"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "webhook_replay" ADD CONSTRAINT "webhook_replay_subscriptionId_fkey" FOREIGN KEY ("subscriptionId") REFERENCES "webhook_subscription"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What a subscription holds back, in the order in which it is let go.
CREATE INDEX "webhook_delivery_held" ON "webhook_delivery" ("subscriptionId", "nextAttemptAt", "id") WHERE "status" = 'held';
