-- The first attempt of a delivery is claimed with its event, and the delivery is stored with the result: one row written once.
ALTER TABLE "pending_event" ADD COLUMN "claimId" TEXT, ADD COLUMN "claimedUntil" TIMESTAMPTZ(3), ADD COLUMN "attempted" JSONB;
DROP INDEX "pending_event_new";
CREATE INDEX "pending_event_new" ON "pending_event" ("projectId", "sequence") WHERE "emailsAt" IS NULL AND "claimId" IS NULL;
CREATE INDEX "pending_event_claimed" ON "pending_event" ("claimedUntil") WHERE "claimId" IS NOT NULL;
