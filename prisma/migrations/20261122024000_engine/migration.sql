-- When an event's emails are handed over again, unless they were written by then; null: nothing is left to write.
ALTER TABLE "domain_event" ADD COLUMN "emailsAt" TIMESTAMPTZ(3);
CREATE INDEX "domain_event_emails" ON "domain_event" ("emailsAt") WHERE "emailsAt" IS NOT NULL;

-- Events are taken project by project, so that the backlog of one delays no other.
DROP INDEX "domain_event_undispatched";
CREATE INDEX "domain_event_undispatched" ON "domain_event" (coalesce("projectId", ''), "sequence") WHERE "dispatchedAt" IS NULL;

-- Deliveries that a process has in hand: few, and read to find those of processes that died.
CREATE INDEX "webhook_delivery_claimed" ON "webhook_delivery" ("claimedUntil") WHERE "claimId" IS NOT NULL;
