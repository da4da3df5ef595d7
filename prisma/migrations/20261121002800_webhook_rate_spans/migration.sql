-- A burst is counted in tenths of a second.
ALTER TABLE "webhook_rate_bucket" RENAME COLUMN "spanSeconds" TO "spanMs";
-- What is held also expires after its 24 hours; what is pending is found through its queue.
CREATE INDEX "webhook_delivery_held_expiry" ON "webhook_delivery" ("expiresAt") WHERE "status" = 'held';
CREATE INDEX "webhook_subscription_health" ON "webhook_subscription" ("healthCheckedAt" NULLS FIRST) WHERE "healthCheck" IS NOT NULL;
