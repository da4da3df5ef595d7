-- Generated from prisma/models: all that the models can say.

-- CreateEnum
CREATE TYPE "email_token_purpose" AS ENUM ('verify_email', 'reset_password');

-- CreateEnum
CREATE TYPE "media_kind" AS ENUM ('tournament_banner');

-- CreateEnum
CREATE TYPE "media_status" AS ENUM ('pending', 'ready');

-- CreateEnum
CREATE TYPE "participant_type" AS ENUM ('individual', 'team');

-- CreateEnum
CREATE TYPE "registration_status" AS ENUM ('pending', 'approved', 'rejected', 'waitlisted', 'cancelled');

-- CreateEnum
CREATE TYPE "participant_status" AS ENUM ('registered', 'checked_in', 'active', 'eliminated', 'disqualified', 'withdrew', 'no_show');

-- CreateEnum
CREATE TYPE "roster_role" AS ENUM ('captain', 'player', 'substitute');

-- CreateEnum
CREATE TYPE "plan" AS ENUM ('free', 'pro', 'enterprise');

-- CreateEnum
CREATE TYPE "project_role" AS ENUM ('OWNER', 'ADMIN', 'ORGANIZER', 'MODERATOR', 'MEMBER');

-- CreateEnum
CREATE TYPE "tournament_status" AS ENUM ('DRAFT', 'PUBLISHED', 'IN_PROGRESS', 'COMPLETED', 'CANCELLED');

-- CreateEnum
CREATE TYPE "tournament_format" AS ENUM ('single_elimination', 'double_elimination', 'round_robin', 'swiss', 'groups_to_knockout');

-- CreateEnum
CREATE TYPE "tournament_visibility" AS ENUM ('public', 'unlisted', 'private');

-- CreateEnum
CREATE TYPE "registration_announcement" AS ENUM ('none', 'opened', 'closed');

-- CreateEnum
CREATE TYPE "webhook_auth_mode" AS ENUM ('none', 'hmac_signature', 'bearer_token', 'basic_auth', 'custom_header');

-- CreateEnum
CREATE TYPE "subscription_status" AS ENUM ('active', 'paused', 'disabled');

-- CreateEnum
CREATE TYPE "webhook_breaker_state" AS ENUM ('closed', 'open', 'half_open');

-- CreateEnum
CREATE TYPE "webhook_health" AS ENUM ('healthy', 'unhealthy');

-- CreateEnum
CREATE TYPE "held_reason" AS ENUM ('paused', 'disabled', 'breaker');

-- CreateEnum
CREATE TYPE "delivery_status" AS ENUM ('pending', 'held', 'delivered', 'failed', 'expired');

-- CreateEnum
CREATE TYPE "attempt_outcome" AS ENUM ('running', 'succeeded', 'failed', 'unknown');

-- CreateEnum
CREATE TYPE "attempt_trigger" AS ENUM ('first', 'retry', 'replay', 'probe');

-- CreateTable
CREATE TABLE "anti_cheat_client" (
    "id" TEXT NOT NULL,
    "projectId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "game" TEXT,
    "deviceName" TEXT,
    "tokenHash" TEXT NOT NULL,
    "lastHeartbeatAt" TIMESTAMPTZ(3),
    "revokedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "anti_cheat_client_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "user" (
    "id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "passwordHash" TEXT,
    "emailVerifiedAt" TIMESTAMPTZ(3),
    "suspendedAt" TIMESTAMPTZ(3),
    "instanceAdmin" BOOLEAN NOT NULL DEFAULT false,
    "timezone" TEXT,
    "emailNotifications" BOOLEAN NOT NULL DEFAULT true,
    "sessionVersion" INTEGER NOT NULL DEFAULT 0,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "user_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "account" (
    "provider" TEXT NOT NULL,
    "providerAccountId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_pkey" PRIMARY KEY ("provider","providerAccountId")
);

-- CreateTable
CREATE TABLE "refresh_token" (
    "id" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "familyId" TEXT NOT NULL,
    "tokenHash" TEXT NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "spentAt" TIMESTAMPTZ(3),
    "revokedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "refresh_token_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "personal_access_token" (
    "id" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "tokenHash" TEXT NOT NULL,
    "lastFour" TEXT NOT NULL,
    "expiresAt" TIMESTAMPTZ(3),
    "lastUsedAt" TIMESTAMPTZ(3),
    "revokedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "personal_access_token_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "email_token" (
    "id" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "purpose" "email_token_purpose" NOT NULL,
    "tokenHash" TEXT NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "usedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "email_token_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "domain_event" (
    "id" TEXT NOT NULL,
    "sequence" BIGSERIAL NOT NULL,
    "projectId" TEXT,
    "type" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "aggregateType" TEXT NOT NULL,
    "aggregateId" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "occurredAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "dispatchedAt" TIMESTAMPTZ(3),

    CONSTRAINT "domain_event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_entry" (
    "id" TEXT NOT NULL,
    "projectId" TEXT,
    "actorType" TEXT NOT NULL,
    "actorId" TEXT,
    "action" TEXT NOT NULL,
    "targetType" TEXT NOT NULL,
    "targetId" TEXT NOT NULL,
    "details" JSONB NOT NULL DEFAULT '{}',
    "requestId" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_record" (
    "caller" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "requestHash" TEXT NOT NULL,
    "status" INTEGER,
    "contentType" TEXT,
    "headers" JSONB NOT NULL DEFAULT '{}',
    "body" TEXT,
    "lockedUntil" TIMESTAMPTZ(3) NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_record_pkey" PRIMARY KEY ("caller","key")
);

-- CreateTable
CREATE TABLE "rate_limit_window" (
    "subject" TEXT NOT NULL,
    "slots" BIGINT[],
    "hits" INTEGER[],
    "total" INTEGER NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "rate_limit_window_pkey" PRIMARY KEY ("subject")
);

-- CreateTable
CREATE TABLE "outgoing_mail" (
    "id" TEXT NOT NULL,
    "recipient" TEXT NOT NULL,
    "dedupeKey" TEXT,
    "kind" TEXT NOT NULL,
    "contentEncrypted" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "claimedUntil" TIMESTAMPTZ(3),
    "lastError" TEXT,
    "sentAt" TIMESTAMPTZ(3),
    "failedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "outgoing_mail_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "media_file" (
    "id" TEXT NOT NULL,
    "projectId" TEXT NOT NULL,
    "kind" "media_kind" NOT NULL,
    "key" TEXT NOT NULL,
    "contentType" TEXT NOT NULL,
    "sizeBytes" INTEGER NOT NULL,
    "sha256" TEXT NOT NULL,
    "status" "media_status" NOT NULL DEFAULT 'pending',
    "createdById" TEXT NOT NULL,
    "expiresAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "media_file_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "participant" (
    "id" TEXT NOT NULL,
    "tournamentId" TEXT NOT NULL,
    "type" "participant_type" NOT NULL DEFAULT 'individual',
    "userId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "registrationStatus" "registration_status" NOT NULL,
    "status" "participant_status" NOT NULL DEFAULT 'registered',
    "seed" INTEGER,
    "waitlistOrder" BIGINT,
    "customFields" JSONB NOT NULL DEFAULT '{}',
    "customFieldsVersion" INTEGER NOT NULL DEFAULT 1,
    "teamId" TEXT,
    "statusReason" TEXT,
    "standingBefore" JSONB,
    "decidedById" TEXT,
    "registeredAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "approvedAt" TIMESTAMPTZ(3),
    "checkedInAt" TIMESTAMPTZ(3),
    "cancelledAt" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "participant_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "roster_member" (
    "participantId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "tournamentId" TEXT NOT NULL,
    "role" "roster_role" NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "roster_member_pkey" PRIMARY KEY ("participantId","userId")
);

-- CreateTable
CREATE TABLE "roster_change" (
    "id" TEXT NOT NULL,
    "tournamentId" TEXT NOT NULL,
    "participantId" TEXT NOT NULL,
    "outUserId" TEXT NOT NULL,
    "inUserId" TEXT NOT NULL,
    "role" "roster_role" NOT NULL,
    "reason" TEXT NOT NULL,
    "actorId" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "roster_change_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "project" (
    "id" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "plan" "plan" NOT NULL DEFAULT 'free',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "project_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "member" (
    "projectId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "role" "project_role" NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "member_pkey" PRIMARY KEY ("projectId","userId")
);

-- CreateTable
CREATE TABLE "invitation" (
    "id" TEXT NOT NULL,
    "projectId" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "role" "project_role" NOT NULL,
    "tokenHash" TEXT NOT NULL,
    "invitedById" TEXT NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "acceptedAt" TIMESTAMPTZ(3),
    "revokedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "invitation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" TEXT NOT NULL,
    "projectId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "publicId" TEXT NOT NULL,
    "keyHash" TEXT NOT NULL,
    "scopes" TEXT[],
    "expiresAt" TIMESTAMPTZ(3),
    "lastUsedAt" TIMESTAMPTZ(3),
    "revokedAt" TIMESTAMPTZ(3),
    "createdById" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "team" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "tag" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "disbandedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "team_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "team_member" (
    "teamId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "role" "roster_role" NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "team_member_pkey" PRIMARY KEY ("teamId","userId")
);

-- CreateTable
CREATE TABLE "team_invitation" (
    "id" TEXT NOT NULL,
    "teamId" TEXT NOT NULL,
    "userId" TEXT,
    "email" TEXT,
    "role" "roster_role" NOT NULL,
    "tokenHash" TEXT,
    "invitedById" TEXT NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "acceptedAt" TIMESTAMPTZ(3),
    "declinedAt" TIMESTAMPTZ(3),
    "revokedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "team_invitation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "game" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,

    CONSTRAINT "game_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tournament" (
    "id" TEXT NOT NULL,
    "projectId" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "rules" TEXT NOT NULL DEFAULT '',
    "gameId" TEXT NOT NULL,
    "format" "tournament_format" NOT NULL DEFAULT 'single_elimination',
    "teamSize" INTEGER NOT NULL DEFAULT 1,
    "rosterMin" INTEGER NOT NULL DEFAULT 1,
    "rosterMax" INTEGER NOT NULL DEFAULT 1,
    "maxParticipants" INTEGER NOT NULL,
    "currentParticipants" INTEGER NOT NULL DEFAULT 0,
    "status" "tournament_status" NOT NULL DEFAULT 'DRAFT',
    "visibility" "tournament_visibility" NOT NULL DEFAULT 'public',
    "startDate" TIMESTAMPTZ(3) NOT NULL,
    "timezone" TEXT NOT NULL DEFAULT 'UTC',
    "registrationOpensAt" TIMESTAMPTZ(3),
    "registrationClosesAt" TIMESTAMPTZ(3),
    "registrationAnnounced" "registration_announcement" NOT NULL DEFAULT 'none',
    "checkInOpensAt" TIMESTAMPTZ(3),
    "checkInClosesAt" TIMESTAMPTZ(3),
    "requiresApproval" BOOLEAN NOT NULL DEFAULT false,
    "waitlistEnabled" BOOLEAN NOT NULL DEFAULT false,
    "allowCancel" BOOLEAN NOT NULL DEFAULT true,
    "allowEdit" BOOLEAN NOT NULL DEFAULT true,
    "requiresAntiCheat" BOOLEAN NOT NULL DEFAULT false,
    "customFields" JSONB NOT NULL DEFAULT '[]',
    "customFieldsVersion" INTEGER NOT NULL DEFAULT 1,
    "rosterLockAt" TIMESTAMPTZ(3),
    "randomSeed" TEXT,
    "entryFee" JSONB,
    "prizePool" JSONB,
    "formatOptions" JSONB NOT NULL DEFAULT '{}',
    "bannerId" TEXT,
    "createdById" TEXT NOT NULL,
    "publishedAt" TIMESTAMPTZ(3),
    "startedAt" TIMESTAMPTZ(3),
    "completedAt" TIMESTAMPTZ(3),
    "cancelledAt" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tournament_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "custom_field_set" (
    "tournamentId" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "definitions" JSONB NOT NULL,
    "createdById" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "custom_field_set_pkey" PRIMARY KEY ("tournamentId","version")
);

-- CreateTable
CREATE TABLE "webhook_subscription" (
    "id" TEXT NOT NULL,
    "projectId" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "events" TEXT[],
    "authMode" "webhook_auth_mode" NOT NULL DEFAULT 'hmac_signature',
    "signPayload" BOOLEAN NOT NULL DEFAULT true,
    "signingSecretEncrypted" TEXT,
    "previousSecretEncrypted" TEXT,
    "previousSecretUntil" TIMESTAMPTZ(3),
    "authSecretEncrypted" TEXT,
    "authLabel" TEXT,
    "status" "subscription_status" NOT NULL DEFAULT 'active',
    "timeoutMs" INTEGER NOT NULL DEFAULT 10000,
    "maxRetries" INTEGER NOT NULL DEFAULT 6,
    "retryBaseDelayMs" INTEGER NOT NULL DEFAULT 5000,
    "retryBackoffMultiplier" DOUBLE PRECISION NOT NULL DEFAULT 4,
    "rateLimitConfig" JSONB,
    "ipWhitelist" TEXT[],
    "filters" JSONB,
    "enableCircuitBreaker" BOOLEAN NOT NULL DEFAULT true,
    "circuitBreakerThreshold" INTEGER NOT NULL DEFAULT 10,
    "circuitBreakerTimeoutMs" INTEGER NOT NULL DEFAULT 60000,
    "breakerState" "webhook_breaker_state" NOT NULL DEFAULT 'closed',
    "breakerOpenedAt" TIMESTAMPTZ(3),
    "breakerRetryAt" TIMESTAMPTZ(3),
    "consecutiveFailures" INTEGER NOT NULL DEFAULT 0,
    "healthCheck" JSONB,
    "healthStatus" "webhook_health",
    "healthCheckedAt" TIMESTAMPTZ(3),
    "healthDetail" TEXT,
    "holdUntil" TIMESTAMPTZ(3),
    "pausedAt" TIMESTAMPTZ(3),
    "disabledAt" TIMESTAMPTZ(3),
    "disabledReason" TEXT,
    "failingSince" TIMESTAMPTZ(3),
    "failureWarnedAt" TIMESTAMPTZ(3),
    "lastDeliveredAt" TIMESTAMPTZ(3),
    "lastAttemptAt" TIMESTAMPTZ(3),
    "createdById" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_subscription_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_rate_bucket" (
    "subscriptionId" TEXT NOT NULL,
    "spanMs" INTEGER NOT NULL,
    "startsAt" TIMESTAMPTZ(3) NOT NULL,
    "started" INTEGER NOT NULL,

    CONSTRAINT "webhook_rate_bucket_pkey" PRIMARY KEY ("subscriptionId","spanMs","startsAt")
);

-- CreateTable
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

-- CreateTable
CREATE TABLE "webhook_delivery" (
    "id" TEXT NOT NULL,
    "subscriptionId" TEXT NOT NULL,
    "projectId" TEXT NOT NULL,
    "eventId" TEXT NOT NULL,
    "eventType" TEXT NOT NULL,
    "status" "delivery_status" NOT NULL DEFAULT 'pending',
    "heldReason" "held_reason",
    "isTest" BOOLEAN NOT NULL DEFAULT false,
    "attemptCount" INTEGER NOT NULL DEFAULT 0,
    "nextAttemptAt" TIMESTAMPTZ(3),
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "claimId" TEXT,
    "claimedUntil" TIMESTAMPTZ(3),
    "completedAt" TIMESTAMPTZ(3),
    "replayCount" INTEGER NOT NULL DEFAULT 0,
    "replayedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_attempt" (
    "id" TEXT NOT NULL,
    "deliveryId" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "trigger" "attempt_trigger" NOT NULL DEFAULT 'first',
    "outcome" "attempt_outcome" NOT NULL DEFAULT 'running',
    "startedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "durationMs" INTEGER,
    "timings" JSONB,
    "nextAttemptAt" TIMESTAMPTZ(3),
    "requestBody" TEXT NOT NULL,
    "requestHeaders" JSONB NOT NULL DEFAULT '{}',
    "responseStatus" INTEGER,
    "responseHeaders" JSONB,
    "responseBody" TEXT,
    "responseTruncated" BOOLEAN NOT NULL DEFAULT false,
    "peerAddress" TEXT,
    "errorClass" TEXT,
    "errorMessage" TEXT,

    CONSTRAINT "webhook_attempt_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "anti_cheat_client_tokenHash_key" ON "anti_cheat_client"("tokenHash");

-- CreateIndex
CREATE INDEX "anti_cheat_client_userId_projectId_idx" ON "anti_cheat_client"("userId", "projectId");

-- CreateIndex
CREATE INDEX "anti_cheat_client_projectId_idx" ON "anti_cheat_client"("projectId");

-- CreateIndex
CREATE UNIQUE INDEX "user_email_key" ON "user"("email");

-- CreateIndex
CREATE INDEX "account_userId_idx" ON "account"("userId");

-- CreateIndex
CREATE UNIQUE INDEX "refresh_token_tokenHash_key" ON "refresh_token"("tokenHash");

-- CreateIndex
CREATE INDEX "refresh_token_familyId_idx" ON "refresh_token"("familyId");

-- CreateIndex
CREATE INDEX "refresh_token_userId_idx" ON "refresh_token"("userId");

-- CreateIndex
CREATE INDEX "refresh_token_expiresAt_idx" ON "refresh_token"("expiresAt");

-- CreateIndex
CREATE UNIQUE INDEX "personal_access_token_tokenHash_key" ON "personal_access_token"("tokenHash");

-- CreateIndex
CREATE INDEX "personal_access_token_userId_createdAt_idx" ON "personal_access_token"("userId", "createdAt");

-- CreateIndex
CREATE UNIQUE INDEX "email_token_tokenHash_key" ON "email_token"("tokenHash");

-- CreateIndex
CREATE INDEX "email_token_userId_purpose_idx" ON "email_token"("userId", "purpose");

-- CreateIndex
CREATE INDEX "email_token_expiresAt_idx" ON "email_token"("expiresAt");

-- CreateIndex
CREATE UNIQUE INDEX "domain_event_sequence_key" ON "domain_event"("sequence");

-- CreateIndex
CREATE INDEX "domain_event_projectId_sequence_idx" ON "domain_event"("projectId", "sequence");

-- CreateIndex
CREATE INDEX "domain_event_aggregateId_sequence_idx" ON "domain_event"("aggregateId", "sequence");

-- CreateIndex
CREATE INDEX "audit_entry_projectId_createdAt_idx" ON "audit_entry"("projectId", "createdAt");

-- CreateIndex
CREATE INDEX "audit_entry_projectId_targetType_createdAt_idx" ON "audit_entry"("projectId", "targetType", "createdAt");

-- CreateIndex
CREATE INDEX "audit_entry_targetId_createdAt_idx" ON "audit_entry"("targetId", "createdAt");

-- CreateIndex
CREATE INDEX "idempotency_record_expiresAt_idx" ON "idempotency_record"("expiresAt");

-- CreateIndex
CREATE UNIQUE INDEX "outgoing_mail_dedupeKey_key" ON "outgoing_mail"("dedupeKey");

-- CreateIndex
CREATE INDEX "outgoing_mail_createdAt_idx" ON "outgoing_mail"("createdAt");

-- CreateIndex
CREATE UNIQUE INDEX "media_file_key_key" ON "media_file"("key");

-- CreateIndex
CREATE INDEX "media_file_projectId_createdAt_idx" ON "media_file"("projectId", "createdAt");

-- CreateIndex
CREATE INDEX "media_file_expiresAt_idx" ON "media_file"("expiresAt");

-- CreateIndex
CREATE INDEX "participant_tournamentId_registrationStatus_registeredAt_id_idx" ON "participant"("tournamentId", "registrationStatus", "registeredAt", "id");

-- CreateIndex
CREATE INDEX "participant_tournamentId_registeredAt_id_idx" ON "participant"("tournamentId", "registeredAt", "id");

-- CreateIndex
CREATE INDEX "participant_tournamentId_name_id_idx" ON "participant"("tournamentId", "name", "id");

-- CreateIndex
CREATE INDEX "participant_tournamentId_id_idx" ON "participant"("tournamentId", "id");

-- CreateIndex
CREATE INDEX "participant_userId_registeredAt_idx" ON "participant"("userId", "registeredAt");

-- CreateIndex
CREATE INDEX "participant_teamId_idx" ON "participant"("teamId");

-- CreateIndex
CREATE UNIQUE INDEX "participant_tournamentId_userId_key" ON "participant"("tournamentId", "userId");

-- CreateIndex
CREATE INDEX "roster_member_userId_idx" ON "roster_member"("userId");

-- CreateIndex
CREATE UNIQUE INDEX "roster_member_tournamentId_userId_key" ON "roster_member"("tournamentId", "userId");

-- CreateIndex
CREATE INDEX "roster_change_participantId_createdAt_id_idx" ON "roster_change"("participantId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "roster_change_tournamentId_idx" ON "roster_change"("tournamentId");

-- CreateIndex
CREATE UNIQUE INDEX "project_slug_key" ON "project"("slug");

-- CreateIndex
CREATE INDEX "member_userId_createdAt_idx" ON "member"("userId", "createdAt");

-- CreateIndex
CREATE UNIQUE INDEX "invitation_tokenHash_key" ON "invitation"("tokenHash");

-- CreateIndex
CREATE INDEX "invitation_projectId_createdAt_idx" ON "invitation"("projectId", "createdAt");

-- CreateIndex
CREATE INDEX "invitation_email_idx" ON "invitation"("email");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_publicId_key" ON "api_key"("publicId");

-- CreateIndex
CREATE INDEX "api_key_projectId_createdAt_idx" ON "api_key"("projectId", "createdAt");

-- CreateIndex
CREATE INDEX "team_member_userId_createdAt_idx" ON "team_member"("userId", "createdAt");

-- CreateIndex
CREATE UNIQUE INDEX "team_invitation_tokenHash_key" ON "team_invitation"("tokenHash");

-- CreateIndex
CREATE INDEX "team_invitation_teamId_createdAt_idx" ON "team_invitation"("teamId", "createdAt");

-- CreateIndex
CREATE INDEX "team_invitation_userId_idx" ON "team_invitation"("userId");

-- CreateIndex
CREATE INDEX "team_invitation_email_idx" ON "team_invitation"("email");

-- CreateIndex
CREATE INDEX "team_invitation_invitedById_idx" ON "team_invitation"("invitedById");

-- CreateIndex
CREATE UNIQUE INDEX "tournament_slug_key" ON "tournament"("slug");

-- CreateIndex
CREATE UNIQUE INDEX "tournament_bannerId_key" ON "tournament"("bannerId");

-- CreateIndex
CREATE INDEX "tournament_projectId_startDate_id_idx" ON "tournament"("projectId", "startDate", "id");

-- CreateIndex
CREATE INDEX "tournament_projectId_status_startDate_id_idx" ON "tournament"("projectId", "status", "startDate", "id");

-- CreateIndex
CREATE INDEX "tournament_projectId_gameId_startDate_id_status_idx" ON "tournament"("projectId", "gameId", "startDate", "id", "status");

-- CreateIndex
CREATE INDEX "tournament_status_visibility_startDate_id_idx" ON "tournament"("status", "visibility", "startDate", "id");

-- CreateIndex
CREATE INDEX "tournament_gameId_status_startDate_idx" ON "tournament"("gameId", "status", "startDate");

-- CreateIndex
CREATE INDEX "webhook_subscription_projectId_createdAt_idx" ON "webhook_subscription"("projectId", "createdAt");

-- CreateIndex
CREATE INDEX "webhook_replay_subscriptionId_createdAt_idx" ON "webhook_replay"("subscriptionId", "createdAt");

-- CreateIndex
CREATE INDEX "webhook_delivery_subscriptionId_createdAt_id_idx" ON "webhook_delivery"("subscriptionId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "webhook_delivery_subscriptionId_status_createdAt_idx" ON "webhook_delivery"("subscriptionId", "status", "createdAt");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_delivery_eventId_subscriptionId_key" ON "webhook_delivery"("eventId", "subscriptionId");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_attempt_deliveryId_number_key" ON "webhook_attempt"("deliveryId", "number");

-- AddForeignKey
ALTER TABLE "anti_cheat_client" ADD CONSTRAINT "anti_cheat_client_projectId_fkey" FOREIGN KEY ("projectId") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "anti_cheat_client" ADD CONSTRAINT "anti_cheat_client_userId_fkey" FOREIGN KEY ("userId") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "account" ADD CONSTRAINT "account_userId_fkey" FOREIGN KEY ("userId") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "refresh_token" ADD CONSTRAINT "refresh_token_userId_fkey" FOREIGN KEY ("userId") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "personal_access_token" ADD CONSTRAINT "personal_access_token_userId_fkey" FOREIGN KEY ("userId") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "email_token" ADD CONSTRAINT "email_token_userId_fkey" FOREIGN KEY ("userId") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "domain_event" ADD CONSTRAINT "domain_event_projectId_fkey" FOREIGN KEY ("projectId") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "media_file" ADD CONSTRAINT "media_file_projectId_fkey" FOREIGN KEY ("projectId") REFERENCES "project"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "participant" ADD CONSTRAINT "participant_tournamentId_fkey" FOREIGN KEY ("tournamentId") REFERENCES "tournament"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "participant" ADD CONSTRAINT "participant_userId_fkey" FOREIGN KEY ("userId") REFERENCES "user"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "participant" ADD CONSTRAINT "participant_teamId_fkey" FOREIGN KEY ("teamId") REFERENCES "team"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "roster_member" ADD CONSTRAINT "roster_member_participantId_fkey" FOREIGN KEY ("participantId") REFERENCES "participant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "roster_member" ADD CONSTRAINT "roster_member_tournamentId_fkey" FOREIGN KEY ("tournamentId") REFERENCES "tournament"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "roster_member" ADD CONSTRAINT "roster_member_userId_fkey" FOREIGN KEY ("userId") REFERENCES "user"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "roster_change" ADD CONSTRAINT "roster_change_participantId_fkey" FOREIGN KEY ("participantId") REFERENCES "participant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "roster_change" ADD CONSTRAINT "roster_change_tournamentId_fkey" FOREIGN KEY ("tournamentId") REFERENCES "tournament"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "member" ADD CONSTRAINT "member_projectId_fkey" FOREIGN KEY ("projectId") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "member" ADD CONSTRAINT "member_userId_fkey" FOREIGN KEY ("userId") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invitation" ADD CONSTRAINT "invitation_projectId_fkey" FOREIGN KEY ("projectId") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_projectId_fkey" FOREIGN KEY ("projectId") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "team_member" ADD CONSTRAINT "team_member_teamId_fkey" FOREIGN KEY ("teamId") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "team_member" ADD CONSTRAINT "team_member_userId_fkey" FOREIGN KEY ("userId") REFERENCES "user"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "team_invitation" ADD CONSTRAINT "team_invitation_teamId_fkey" FOREIGN KEY ("teamId") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "team_invitation" ADD CONSTRAINT "team_invitation_userId_fkey" FOREIGN KEY ("userId") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "team_invitation" ADD CONSTRAINT "team_invitation_invitedById_fkey" FOREIGN KEY ("invitedById") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tournament" ADD CONSTRAINT "tournament_projectId_fkey" FOREIGN KEY ("projectId") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tournament" ADD CONSTRAINT "tournament_gameId_fkey" FOREIGN KEY ("gameId") REFERENCES "game"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tournament" ADD CONSTRAINT "tournament_bannerId_fkey" FOREIGN KEY ("bannerId") REFERENCES "media_file"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "custom_field_set" ADD CONSTRAINT "custom_field_set_tournamentId_fkey" FOREIGN KEY ("tournamentId") REFERENCES "tournament"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_subscription" ADD CONSTRAINT "webhook_subscription_projectId_fkey" FOREIGN KEY ("projectId") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_rate_bucket" ADD CONSTRAINT "webhook_rate_bucket_subscriptionId_fkey" FOREIGN KEY ("subscriptionId") REFERENCES "webhook_subscription"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_replay" ADD CONSTRAINT "webhook_replay_subscriptionId_fkey" FOREIGN KEY ("subscriptionId") REFERENCES "webhook_subscription"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_subscriptionId_fkey" FOREIGN KEY ("subscriptionId") REFERENCES "webhook_subscription"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_eventId_fkey" FOREIGN KEY ("eventId") REFERENCES "domain_event"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_attempt" ADD CONSTRAINT "webhook_attempt_deliveryId_fkey" FOREIGN KEY ("deliveryId") REFERENCES "webhook_delivery"("id") ON DELETE CASCADE ON UPDATE CASCADE;
