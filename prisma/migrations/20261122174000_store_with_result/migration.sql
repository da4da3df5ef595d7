-- Emails about an event and its deliveries have nothing to do with each other: each is left to do in a table of its own.
CREATE TABLE "pending_email" (
    "eventId" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "pending_email_pkey" PRIMARY KEY ("eventId")
);
ALTER TABLE "pending_email" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
CREATE INDEX "pending_email_at_idx" ON "pending_email"("at");
INSERT INTO "pending_email" ("eventId", "at") SELECT "eventId", "emailsAt" FROM "pending_event" WHERE "emailsAt" IS NOT NULL;
DELETE FROM "pending_event" WHERE "emailsAt" IS NOT NULL;
DROP INDEX "pending_event_new";
DROP INDEX "pending_event_emails";

-- The first attempt of a delivery is claimed with its event, and the delivery is stored with the result: one row, written once.
ALTER TABLE "pending_event" DROP COLUMN "emailsAt",
ADD COLUMN "claimId" TEXT,
ADD COLUMN "claimedUntil" TIMESTAMPTZ(3),
ADD COLUMN "attempted" JSONB;
CREATE INDEX "pending_event_new" ON "pending_event" ("projectId", "sequence") WHERE "claimId" IS NULL;
CREATE INDEX "pending_event_claimed" ON "pending_event" ("claimedUntil") WHERE "claimId" IS NOT NULL;
