-- Events about which something is left to do, beside the history, whose rows and indexes are then written once.
CREATE TABLE "pending_event" (
    "eventId" TEXT NOT NULL,
    "projectId" TEXT NOT NULL,
    "sequence" BIGINT NOT NULL,
    "emailsAt" TIMESTAMPTZ(3),

    CONSTRAINT "pending_event_pkey" PRIMARY KEY ("eventId")
);
-- Rows come and go: what is left of them is cleaned up before it gets in the way.
ALTER TABLE "pending_event" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
-- Events are taken project by project, so that the backlog of one delays no other.
CREATE INDEX "pending_event_new" ON "pending_event" ("projectId", "sequence") WHERE "emailsAt" IS NULL;
CREATE INDEX "pending_event_emails" ON "pending_event" ("emailsAt") WHERE "emailsAt" IS NOT NULL;
CREATE FUNCTION "add_pending_event"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "pending_event" ("eventId", "projectId", "sequence")
  SELECT "id", coalesce("projectId", ''), "sequence" FROM "added";
  RETURN NULL;
END $$;
INSERT INTO "pending_event" ("eventId", "projectId", "sequence", "emailsAt")
SELECT "id", coalesce("projectId", ''), "sequence", CASE WHEN "dispatchedAt" IS NOT NULL THEN "emailsAt" END
FROM "domain_event" WHERE "dispatchedAt" IS NULL OR "emailsAt" IS NOT NULL;
CREATE TRIGGER "domain_event_pending" AFTER INSERT ON "domain_event" REFERENCING NEW TABLE AS "added"
  FOR EACH STATEMENT EXECUTE FUNCTION "add_pending_event"();
DROP INDEX "domain_event_undispatched";
DROP INDEX "domain_event_emails";
ALTER TABLE "domain_event" DROP COLUMN "dispatchedAt", DROP COLUMN "emailsAt";

-- Nothing is found by its sequence alone, and every write of an event paid for this index.
DROP INDEX "domain_event_sequence_key";

-- An attempt is written once, with its result, and needs no room for a second version beside it.
ALTER TABLE "webhook_attempt" RESET (fillfactor);
