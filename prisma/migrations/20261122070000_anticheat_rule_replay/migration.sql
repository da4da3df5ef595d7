-- AlterTable
ALTER TABLE "anti_cheat_rule_setting" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "anti_cheat_replay" (
    "id" TEXT NOT NULL,
    "projectId" TEXT NOT NULL,
    "game" "anti_cheat_game" NOT NULL,
    "settings" JSONB NOT NULL,
    "sessionIds" TEXT[],
    "sessionsDone" INTEGER NOT NULL DEFAULT 0,
    "playersDone" INTEGER NOT NULL DEFAULT 0,
    "reportsRead" INTEGER NOT NULL DEFAULT 0,
    "tallies" JSONB NOT NULL DEFAULT '{}',
    "changes" JSONB NOT NULL DEFAULT '[]',
    "isPartial" BOOLEAN NOT NULL DEFAULT false,
    "failed" BOOLEAN NOT NULL DEFAULT false,
    "createdById" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "progressAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finishedAt" TIMESTAMPTZ(3),

    CONSTRAINT "anti_cheat_replay_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "anti_cheat_replay_projectId_key" ON "anti_cheat_replay"("projectId");

-- AddForeignKey
ALTER TABLE "anti_cheat_replay" ADD CONSTRAINT "anti_cheat_replay_projectId_fkey" FOREIGN KEY ("projectId") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;
