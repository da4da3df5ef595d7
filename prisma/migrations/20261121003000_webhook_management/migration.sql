-- One bulk replay of a subscription at a time.
CREATE UNIQUE INDEX "webhook_replay_running" ON "webhook_replay" ("subscriptionId") WHERE "finishedAt" IS NULL;
-- Attempts of deliveries that are older than the time looked at, but were sent again in it.
CREATE INDEX "webhook_delivery_replayed" ON "webhook_delivery" ("subscriptionId", "replayedAt") WHERE "replayedAt" IS NOT NULL;
