-- AlterTable
ALTER TABLE "detection" ADD COLUMN     "thresholds" JSONB NOT NULL DEFAULT '{}',
ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 0;

-- CreateIndex
CREATE INDEX "detection_projectId_verdict_id_idx" ON "detection"("projectId", "verdict", "id");

-- CreateIndex
CREATE INDEX "detection_projectId_severity_id_idx" ON "detection"("projectId", "severity", "id");

-- CreateIndex
CREATE INDEX "detection_projectId_ruleId_id_idx" ON "detection"("projectId", "ruleId", "id");

-- CreateIndex
CREATE INDEX "detection_projectId_matchId_id_idx" ON "detection"("projectId", "matchId", "id");

-- CreateIndex
CREATE INDEX "detection_projectId_userId_id_idx" ON "detection"("projectId", "userId", "id");

-- The queue of what nobody has reviewed; Prisma cannot express the condition.
CREATE INDEX "detection_unreviewed_idx" ON "detection"("projectId", "id") WHERE "verdict" IS NULL;
