-- CreateEnum
CREATE TYPE "stage_type" AS ENUM ('single_elimination', 'double_elimination', 'round_robin', 'swiss', 'gsl', 'custom');

-- CreateEnum
CREATE TYPE "match_bracket" AS ENUM ('winners', 'losers', 'final', 'group');

-- CreateEnum
CREATE TYPE "match_status" AS ENUM ('pending', 'ready', 'scheduled', 'in_progress', 'disputed', 'completed', 'forfeited');

-- CreateEnum
CREATE TYPE "match_decision" AS ENUM ('result', 'forfeit', 'departure', 'bye');

-- CreateEnum
CREATE TYPE "result_mode" AS ENUM ('confirm', 'staff');

-- AlterTable
ALTER TABLE "tournament" ADD COLUMN     "autoConfirmMinutes" INTEGER NOT NULL DEFAULT 15,
ADD COLUMN     "autoStart" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "drawSeed" TEXT,
ADD COLUMN     "noShowGraceMinutes" INTEGER NOT NULL DEFAULT 10,
ADD COLUMN     "resultMode" "result_mode" NOT NULL DEFAULT 'confirm';

-- CreateTable
CREATE TABLE "bracket" (
    "tournamentId" TEXT NOT NULL,
    "format" "tournament_format" NOT NULL,
    "options" JSONB NOT NULL,
    "randomSeed" TEXT NOT NULL,
    "participantIds" TEXT[],
    "departures" JSONB NOT NULL DEFAULT '[]',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "bracket_pkey" PRIMARY KEY ("tournamentId")
);

-- CreateTable
CREATE TABLE "stage" (
    "id" TEXT NOT NULL,
    "tournamentId" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "type" "stage_type" NOT NULL,
    "name" TEXT NOT NULL,
    "groups" JSONB NOT NULL DEFAULT '[]',
    "endedEarly" TEXT,

    CONSTRAINT "stage_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "match" (
    "id" TEXT NOT NULL,
    "tournamentId" TEXT NOT NULL,
    "stageId" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "groupNumber" INTEGER,
    "round" INTEGER NOT NULL,
    "bracket" "match_bracket" NOT NULL,
    "bestOf" INTEGER NOT NULL,
    "status" "match_status" NOT NULL,
    "decidedBy" "match_decision",
    "participantAId" TEXT,
    "participantBId" TEXT,
    "slotA" JSONB NOT NULL,
    "slotB" JSONB NOT NULL,
    "games" JSONB NOT NULL DEFAULT '[]',
    "winnerId" TEXT,
    "winnerTo" JSONB,
    "loserTo" JSONB,
    "winnerRank" INTEGER,
    "loserRank" INTEGER,
    "report" JSONB,
    "counterReport" JSONB,
    "confirmBy" TIMESTAMPTZ(3),
    "scheduledAt" TIMESTAMPTZ(3),
    "proposal" JSONB,
    "calledAt" TIMESTAMPTZ(3),
    "stationId" TEXT,
    "streamUrl" TEXT,
    "startedAt" TIMESTAMPTZ(3),
    "completedAt" TIMESTAMPTZ(3),
    "lastSequence" INTEGER NOT NULL DEFAULT 0,
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "match_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "match_event" (
    "id" TEXT NOT NULL,
    "matchId" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL,
    "type" TEXT NOT NULL,
    "timestamp" TIMESTAMPTZ(3) NOT NULL,
    "game" INTEGER,
    "participantId" TEXT,
    "userId" TEXT,
    "clientId" TEXT,
    "payload" JSONB NOT NULL DEFAULT '{}',
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "match_event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "match_message" (
    "id" TEXT NOT NULL,
    "matchId" TEXT NOT NULL,
    "authorId" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "mediaFileIds" TEXT[],
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "match_message_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "station" (
    "id" TEXT NOT NULL,
    "tournamentId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "streamUrl" TEXT,
    "position" INTEGER NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "station_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "player_stats" (
    "projectId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "gameId" TEXT NOT NULL,
    "matches" INTEGER NOT NULL DEFAULT 0,
    "wins" INTEGER NOT NULL DEFAULT 0,
    "losses" INTEGER NOT NULL DEFAULT 0,
    "kills" INTEGER NOT NULL DEFAULT 0,
    "deaths" INTEGER NOT NULL DEFAULT 0,
    "assists" INTEGER NOT NULL DEFAULT 0,
    "placements" JSONB NOT NULL DEFAULT '{}',
    "lastPlayedAt" TIMESTAMPTZ(3),
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "player_stats_pkey" PRIMARY KEY ("projectId","userId","gameId")
);

-- CreateIndex
CREATE UNIQUE INDEX "stage_tournamentId_number_key" ON "stage"("tournamentId", "number");

-- CreateIndex
CREATE INDEX "match_tournamentId_status_number_idx" ON "match"("tournamentId", "status", "number");

-- CreateIndex
CREATE INDEX "match_participantAId_idx" ON "match"("participantAId");

-- CreateIndex
CREATE INDEX "match_participantBId_idx" ON "match"("participantBId");

-- CreateIndex
CREATE INDEX "match_stationId_idx" ON "match"("stationId");

-- CreateIndex
CREATE UNIQUE INDEX "match_tournamentId_number_key" ON "match"("tournamentId", "number");

-- CreateIndex
CREATE INDEX "match_event_matchId_timestamp_sequence_idx" ON "match_event"("matchId", "timestamp", "sequence");

-- CreateIndex
CREATE UNIQUE INDEX "match_event_matchId_sequence_key" ON "match_event"("matchId", "sequence");

-- CreateIndex
CREATE UNIQUE INDEX "match_event_matchId_clientId_key" ON "match_event"("matchId", "clientId");

-- CreateIndex
CREATE INDEX "match_message_matchId_createdAt_id_idx" ON "match_message"("matchId", "createdAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "station_tournamentId_name_key" ON "station"("tournamentId", "name");

-- CreateIndex
CREATE INDEX "player_stats_userId_idx" ON "player_stats"("userId");

-- AddForeignKey
ALTER TABLE "bracket" ADD CONSTRAINT "bracket_tournamentId_fkey" FOREIGN KEY ("tournamentId") REFERENCES "tournament"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "stage" ADD CONSTRAINT "stage_tournamentId_fkey" FOREIGN KEY ("tournamentId") REFERENCES "bracket"("tournamentId") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "match" ADD CONSTRAINT "match_tournamentId_fkey" FOREIGN KEY ("tournamentId") REFERENCES "bracket"("tournamentId") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "match" ADD CONSTRAINT "match_stageId_fkey" FOREIGN KEY ("stageId") REFERENCES "stage"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "match" ADD CONSTRAINT "match_stationId_fkey" FOREIGN KEY ("stationId") REFERENCES "station"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "match_event" ADD CONSTRAINT "match_event_matchId_fkey" FOREIGN KEY ("matchId") REFERENCES "match"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "match_message" ADD CONSTRAINT "match_message_matchId_fkey" FOREIGN KEY ("matchId") REFERENCES "match"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "station" ADD CONSTRAINT "station_tournamentId_fkey" FOREIGN KEY ("tournamentId") REFERENCES "tournament"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "player_stats" ADD CONSTRAINT "player_stats_projectId_fkey" FOREIGN KEY ("projectId") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "player_stats" ADD CONSTRAINT "player_stats_userId_fkey" FOREIGN KEY ("userId") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "player_stats" ADD CONSTRAINT "player_stats_gameId_fkey" FOREIGN KEY ("gameId") REFERENCES "game"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Prisma cannot express what follows.

-- The sweep asks each minute for reports that silence confirms.
CREATE INDEX "match_confirm_by" ON "match" ("confirmBy") WHERE "confirmBy" IS NOT NULL;

-- The sweep asks each minute for tournaments that start by themselves.
CREATE INDEX "tournament_auto_start" ON "tournament" ("startDate") WHERE "status" = 'PUBLISHED' AND "autoStart";

-- A report waits for silence exactly while it is open.
ALTER TABLE "match" ADD CONSTRAINT "match_confirm_by_report" CHECK ("confirmBy" IS NULL OR "report" IS NOT NULL);
ALTER TABLE "match" ADD CONSTRAINT "match_two_participants" CHECK ("participantAId" IS DISTINCT FROM "participantBId" OR "participantAId" IS NULL);
ALTER TABLE "tournament" ADD CONSTRAINT "tournament_play_minutes" CHECK ("noShowGraceMinutes" BETWEEN 0 AND 1440 AND "autoConfirmMinutes" BETWEEN 1 AND 10080);
