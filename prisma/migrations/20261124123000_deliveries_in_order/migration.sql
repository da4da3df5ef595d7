-- Replays read the deliveries of a status in the order of time and id, some at a time.
DROP INDEX "webhook_delivery_subscriptionId_status_createdAt_idx";
CREATE INDEX "webhook_delivery_subscriptionId_status_createdAt_id_idx" ON "webhook_delivery"("subscriptionId", "status", "createdAt", "id");
