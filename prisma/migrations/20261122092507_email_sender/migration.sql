-- AlterTable
ALTER TABLE "outgoing_mail" ADD COLUMN "dueAt" TIMESTAMPTZ(3),
ADD COLUMN     "sourceId" TEXT NOT NULL DEFAULT '';

UPDATE "outgoing_mail" SET "dueAt" = coalesce("claimedUntil", "createdAt")
WHERE "sentAt" IS NULL AND "failedAt" IS NULL AND "foldedAt" IS NULL;

DROP INDEX "outgoing_mail_open";
ALTER TABLE "outgoing_mail" DROP COLUMN "claimedUntil";
-- What is to be sent, by whose emails they are: each source is found by one step in the index, however many emails it has.
CREATE INDEX "outgoing_mail_due" ON "outgoing_mail" ("sourceId", "dueAt", "id") WHERE "dueAt" IS NOT NULL;
-- Sent emails leave the index again and again, and a claim would walk over what is left of them.
ALTER TABLE "outgoing_mail" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
