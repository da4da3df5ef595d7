-- AlterTable
ALTER TABLE "outgoing_mail" ADD COLUMN     "foldedAt" TIMESTAMPTZ(3);

-- What is left to send by itself; the sweep reads nothing else.
DROP INDEX "outgoing_mail_open";
CREATE INDEX "outgoing_mail_open" ON "outgoing_mail" ("createdAt")
  WHERE "sentAt" IS NULL AND "failedAt" IS NULL AND "foldedAt" IS NULL;
-- What waits for a digest, by recipient.
CREATE INDEX "outgoing_mail_folded" ON "outgoing_mail" ("recipient", "createdAt")
  WHERE "foldedAt" IS NOT NULL AND "sentAt" IS NULL AND "failedAt" IS NULL;
