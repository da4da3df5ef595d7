ALTER TABLE "user" ADD COLUMN "createdFrom" TEXT;

ALTER TABLE "outgoing_mail" ADD COLUMN "recipientFrom" TEXT;

-- Of those who signed up within the last 30 days, the outbox still says from where.
UPDATE "user" u SET "createdFrom" = m."askedBy" FROM (
  SELECT DISTINCT ON ("recipient") "recipient", "askedBy", "createdAt" FROM "outgoing_mail"
  WHERE "kind" = 'verify_email' AND "askedBy" > '' ORDER BY "recipient", "id") m
-- A later email may be one that somebody else asked for.
WHERE u."email" = m."recipient" AND u."takenOverAt" IS NULL AND m."createdAt" < u."createdAt" + interval '1 minute';

UPDATE "outgoing_mail" m SET "recipientFrom" = u."createdFrom" FROM "user" u
WHERE m."dueAt" IS NOT NULL AND u."email" = m."recipient" AND u."createdFrom" IS NOT NULL;

-- Blocks of recipients take turns within those of who causes their emails. A claim looks for the first emails of each.
CREATE INDEX "outgoing_mail_due_to" ON "outgoing_mail" ("causedBy", md5(coalesce("recipientFrom", "recipient")), "dueAt", "id") WHERE "dueAt" IS NOT NULL;
