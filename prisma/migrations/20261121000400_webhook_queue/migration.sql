-- A subscription's queue: what is due next, in order. Only pending deliveries stand in it.
CREATE INDEX "webhook_delivery_queue" ON "webhook_delivery" ("subscriptionId", "nextAttemptAt", "id") WHERE "status" = 'pending';
