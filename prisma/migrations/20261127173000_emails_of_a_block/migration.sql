ALTER TABLE "project" ADD COLUMN "createdFrom" TEXT;

ALTER TABLE "outgoing_mail" ADD COLUMN "causedBy" TEXT NOT NULL DEFAULT '';
UPDATE "outgoing_mail" SET "causedBy" = CASE WHEN "askedBy" > '' THEN 'by ' || "askedBy"
  ELSE coalesce((SELECT p."createdById" FROM "project" p WHERE p."id" = "sourceId"), "sourceId") END
WHERE "sourceId" > '' AND "sentAt" IS NULL AND "failedAt" IS NULL;

DROP INDEX "outgoing_mail_due";
CREATE INDEX "outgoing_mail_due" ON "outgoing_mail" ("causedBy", "dueAt", "id") WHERE "dueAt" IS NOT NULL;
