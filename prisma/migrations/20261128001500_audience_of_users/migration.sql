-- An event about an account goes to webhooks that instance admins have created: neither all webhooks nor all accounts are read for it.
CREATE INDEX "webhook_subscription_createdById_idx" ON "webhook_subscription"("createdById");
CREATE INDEX "user_instance_admin_idx" ON "user"("id") WHERE "instanceAdmin";
