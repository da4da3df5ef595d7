-- Accounts that are deleted when they stay unconfirmed and unused.
CREATE INDEX "user_unconfirmed" ON "user" ("createdAt") WHERE "emailVerifiedAt" IS NULL;
