-- A claim of events is one row for all that a process takes at a time. To mark each event and delete its row later took three writes
-- of its row and four of indexes.
CREATE TABLE "event_claim" (
    "id" TEXT NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,
    "deliveries" JSON NOT NULL,

    CONSTRAINT "event_claim_pkey" PRIMARY KEY ("id")
);
-- Rows last for milliseconds: to compress them is not worth it, and what is left of them is cleaned up before it gets in the way.
ALTER TABLE "event_claim" ALTER COLUMN "deliveries" SET STORAGE EXTERNAL;
ALTER TABLE "event_claim" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 2000);

-- What the processes of an earlier version had claimed is to be sent again: they have ended.
ALTER TABLE "pending_event" DROP COLUMN "claimId", DROP COLUMN "claimedUntil";
CREATE INDEX "pending_event_projectId_sequence_idx" ON "pending_event"("projectId", "sequence");
