-- Projects share what expires at a time: each subscription's is found by itself.
DROP INDEX "webhook_delivery_held_expiry";
CREATE INDEX "webhook_delivery_held_expiry" ON "webhook_delivery" ("subscriptionId", "expiresAt") WHERE "status" = 'held';
