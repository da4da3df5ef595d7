ALTER TABLE "outgoing_mail" ADD COLUMN "digestAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- Which digests may be due; what waits for longer is not read.
CREATE INDEX "outgoing_mail_digest" ON "outgoing_mail" ("digestAt")
  WHERE "foldedAt" IS NOT NULL AND "sentAt" IS NULL AND "failedAt" IS NULL;
