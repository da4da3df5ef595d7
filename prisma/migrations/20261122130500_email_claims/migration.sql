ALTER TABLE "outgoing_mail" ADD COLUMN "claimedBy" TEXT;
-- What a process that died was sending is looked for every two seconds.
CREATE INDEX "outgoing_mail_claimed" ON "outgoing_mail" ("claimedBy") WHERE "claimedBy" IS NOT NULL;
