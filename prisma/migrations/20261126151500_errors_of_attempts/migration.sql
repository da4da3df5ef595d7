-- Of a delivery with thousands of attempts, one that ended with an error is found without reading the others. Those that succeeded have none.
CREATE INDEX "webhook_attempt_error" ON "webhook_attempt" ("deliveryId", "errorClass") WHERE "errorClass" IS NOT NULL;
