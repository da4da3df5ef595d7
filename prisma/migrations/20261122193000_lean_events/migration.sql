-- The statement that writes events says itself that something is to be done about them, which costs less than a trigger.
DROP TRIGGER "domain_event_pending" ON "domain_event";
DROP FUNCTION "add_pending_event"();

-- Events of one project that are written at once all locked its row, and PostgreSQL kept a list of who held it. They are still
-- deleted with it.
ALTER TABLE "domain_event" DROP CONSTRAINT "domain_event_projectId_fkey";
CREATE FUNCTION "delete_events_of_project"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "domain_event" WHERE "projectId" = OLD."id";
  RETURN NULL;
END $$;
CREATE TRIGGER "project_events" AFTER DELETE ON "project" FOR EACH ROW EXECUTE FUNCTION "delete_events_of_project"();
