-- What waits for its verdict, of each project the oldest: however many wait, a few of each are read.
DROP INDEX "detection_ai_verdict_due_idx";
CREATE INDEX "detection_verdict_due" ON "detection"("projectId", "aiVerdictDueAt") WHERE "aiVerdictDueAt" IS NOT NULL;
