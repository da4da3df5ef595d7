-- CreateEnum
CREATE TYPE "anti_cheat_game" AS ENUM ('cs2', 'valorant', 'apex', 'dota2', 'rl');

-- CreateEnum
CREATE TYPE "detection_severity" AS ENUM ('low', 'medium', 'high', 'critical');

-- CreateEnum
CREATE TYPE "detection_verdict" AS ENUM ('confirmed', 'dismissed', 'inconclusive');

-- AlterEnum
ALTER TYPE "media_kind" ADD VALUE 'evidence';

-- AlterTable
ALTER TABLE "anti_cheat_client" ADD COLUMN     "lastHeardAt" TIMESTAMPTZ(3),
ADD COLUMN     "lastSequence" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "media_file" ADD COLUMN     "detectionId" TEXT,
ADD COLUMN     "evidenceKind" TEXT;

-- CreateTable
CREATE TABLE "anti_cheat_session" (
    "id" TEXT NOT NULL,
    "projectId" TEXT NOT NULL,
    "matchId" TEXT NOT NULL,
    "game" "anti_cheat_game" NOT NULL,
    "requestedUserIds" TEXT[],
    "startedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "endedAt" TIMESTAMPTZ(3),
    "endReason" TEXT,
    "evaluatedUntil" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "anti_cheat_session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "anti_cheat_session_client" (
    "sessionId" TEXT NOT NULL,
    "clientId" TEXT NOT NULL,
    "firstReportAt" TIMESTAMPTZ(3),
    "clockAheadMs" BIGINT,

    CONSTRAINT "anti_cheat_session_client_pkey" PRIMARY KEY ("sessionId","clientId")
);

-- CreateTable
CREATE TABLE "anti_cheat_report" (
    "clientId" TEXT NOT NULL,
    "sequence" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "receivedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "kind" TEXT NOT NULL,
    "data" JSONB NOT NULL,

    CONSTRAINT "anti_cheat_report_pkey" PRIMARY KEY ("clientId","sequence")
);

-- CreateTable
CREATE TABLE "detection" (
    "id" TEXT NOT NULL,
    "projectId" TEXT NOT NULL,
    "sessionId" TEXT NOT NULL,
    "matchId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "clientId" TEXT NOT NULL,
    "ruleId" TEXT NOT NULL,
    "rule" TEXT NOT NULL,
    "severity" "detection_severity" NOT NULL,
    "windowStart" TIMESTAMPTZ(3) NOT NULL,
    "explanation" TEXT NOT NULL,
    "figures" JSONB NOT NULL,
    "raisedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "verdict" "detection_verdict",
    "note" TEXT,
    "reviewedById" TEXT,
    "reviewedAt" TIMESTAMPTZ(3),

    CONSTRAINT "detection_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "anti_cheat_rule_setting" (
    "projectId" TEXT NOT NULL,
    "ruleId" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "thresholds" JSONB NOT NULL DEFAULT '{}',
    "updatedById" TEXT NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "anti_cheat_rule_setting_pkey" PRIMARY KEY ("projectId","ruleId")
);

-- CreateIndex
CREATE INDEX "anti_cheat_session_projectId_startedAt_idx" ON "anti_cheat_session"("projectId", "startedAt");

-- CreateIndex
CREATE INDEX "anti_cheat_session_matchId_idx" ON "anti_cheat_session"("matchId");

-- CreateIndex
CREATE INDEX "anti_cheat_session_client_clientId_idx" ON "anti_cheat_session_client"("clientId");

-- CreateIndex
CREATE INDEX "anti_cheat_report_clientId_receivedAt_idx" ON "anti_cheat_report"("clientId", "receivedAt");

-- CreateIndex
CREATE INDEX "anti_cheat_report_receivedAt_idx" ON "anti_cheat_report" USING BRIN ("receivedAt");

-- CreateIndex
CREATE INDEX "detection_projectId_id_idx" ON "detection"("projectId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "detection_sessionId_userId_ruleId_windowStart_key" ON "detection"("sessionId", "userId", "ruleId", "windowStart");

-- CreateIndex
CREATE INDEX "media_file_subjectId_idx" ON "media_file"("subjectId");

-- AddForeignKey
ALTER TABLE "anti_cheat_session" ADD CONSTRAINT "anti_cheat_session_projectId_fkey" FOREIGN KEY ("projectId") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "anti_cheat_session_client" ADD CONSTRAINT "anti_cheat_session_client_sessionId_fkey" FOREIGN KEY ("sessionId") REFERENCES "anti_cheat_session"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "anti_cheat_session_client" ADD CONSTRAINT "anti_cheat_session_client_clientId_fkey" FOREIGN KEY ("clientId") REFERENCES "anti_cheat_client"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "anti_cheat_report" ADD CONSTRAINT "anti_cheat_report_clientId_fkey" FOREIGN KEY ("clientId") REFERENCES "anti_cheat_client"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "detection" ADD CONSTRAINT "detection_projectId_fkey" FOREIGN KEY ("projectId") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "detection" ADD CONSTRAINT "detection_sessionId_fkey" FOREIGN KEY ("sessionId") REFERENCES "anti_cheat_session"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "anti_cheat_rule_setting" ADD CONSTRAINT "anti_cheat_rule_setting_projectId_fkey" FOREIGN KEY ("projectId") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What the evaluation asks for every few seconds.
CREATE INDEX "anti_cheat_session_running_idx" ON "anti_cheat_session"("evaluatedUntil") WHERE "endedAt" IS NULL;
