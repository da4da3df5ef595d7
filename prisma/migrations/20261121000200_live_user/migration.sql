-- A notice also names the user it is about, so that a player's own pages can follow what concerns them.
CREATE OR REPLACE FUNCTION "notify_domain_event"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('laurel_event', json_build_object(
    'id', NEW."id", 'type', NEW."type", 'projectId', NEW."projectId",
    'aggregateType', NEW."aggregateType", 'aggregateId', NEW."aggregateId",
    'tournamentId', NEW."payload"->>'tournamentId', 'userId', NEW."payload"->>'userId')::text);
  RETURN NULL;
END $$;
