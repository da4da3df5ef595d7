-- DropForeignKey
ALTER TABLE "player_stats" DROP CONSTRAINT "player_stats_gameId_fkey";

-- DropForeignKey
ALTER TABLE "tournament" DROP CONSTRAINT "tournament_gameId_fkey";

-- AlterTable
ALTER TABLE "game" DROP CONSTRAINT "game_pkey",
ADD COLUMN     "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
ADD COLUMN     "projectId" TEXT,
ADD COLUMN     "scope" TEXT NOT NULL DEFAULT '',
ADD CONSTRAINT "game_pkey" PRIMARY KEY ("scope", "id");

-- AlterTable
ALTER TABLE "tournament" ADD COLUMN     "gameScope" TEXT NOT NULL DEFAULT '';

-- CreateIndex
CREATE INDEX "game_projectId_idx" ON "game"("projectId");

-- AddForeignKey
ALTER TABLE "game" ADD CONSTRAINT "game_projectId_fkey" FOREIGN KEY ("projectId") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tournament" ADD CONSTRAINT "tournament_gameScope_gameId_fkey" FOREIGN KEY ("gameScope", "gameId") REFERENCES "game"("scope", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- Prisma cannot express what follows.

ALTER TABLE "game" ADD CONSTRAINT "game_scope_of_project" CHECK ("scope" = coalesce("projectId", ''));
-- A tournament is played in a game of the instance or of its own project.
ALTER TABLE "tournament" ADD CONSTRAINT "tournament_game_scope" CHECK ("gameScope" IN ('', "projectId"));
