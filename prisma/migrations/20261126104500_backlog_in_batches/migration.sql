-- Of a long queue, what has expired, and what is held for another reason than its subscription's, is found without the rest.
CREATE INDEX "webhook_delivery_pending_expiry" ON "webhook_delivery" ("subscriptionId", "expiresAt") WHERE "status" = 'pending';
CREATE INDEX "webhook_delivery_held_reason" ON "webhook_delivery" ("subscriptionId", "heldReason") WHERE "status" = 'held';
