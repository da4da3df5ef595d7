-- CreateEnum
CREATE TYPE "ai_verdict_failure" AS ENUM ('unreachable', 'rejected', 'invalid_answer', 'turned_off');

-- AlterTable
ALTER TABLE "detection" ADD COLUMN     "aiConfidence" DOUBLE PRECISION,
ADD COLUMN     "aiModel" TEXT,
ADD COLUMN     "aiVerdict" "detection_verdict",
ADD COLUMN     "aiVerdictAt" TIMESTAMPTZ(3),
ADD COLUMN     "aiVerdictDueAt" TIMESTAMPTZ(3),
ADD COLUMN     "aiVerdictFailure" "ai_verdict_failure";

-- A verdict is there as a whole or not at all.
ALTER TABLE "detection" ADD CONSTRAINT "detection_ai_verdict_check" CHECK (
  num_nulls("aiVerdict", "aiConfidence", "aiModel", "aiVerdictAt") IN (0, 4)
  AND "aiConfidence" BETWEEN 0 AND 1
  AND ("aiVerdict" IS NULL OR num_nonnulls("aiVerdictDueAt", "aiVerdictFailure") = 0)
);

-- What waits for its verdict: read several times a minute.
CREATE INDEX "detection_ai_verdict_due_idx" ON "detection"("aiVerdictDueAt") WHERE "aiVerdictDueAt" IS NOT NULL;
