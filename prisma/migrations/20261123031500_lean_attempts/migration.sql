-- A delivery and its attempt are written for every event, and each foreign key takes a tenth of the time of both: it locks the row
-- that it refers to. What belongs to a deleted row is deleted by triggers, as the foreign keys did. The one to the subscription stays.
ALTER TABLE "webhook_attempt" DROP CONSTRAINT "webhook_attempt_deliveryId_fkey";
ALTER TABLE "webhook_delivery" DROP CONSTRAINT "webhook_delivery_eventId_fkey";

-- Row by row: the plan for one is the same whatever else is deleted.
CREATE FUNCTION "delete_attempts_of_delivery"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "webhook_attempt" WHERE "deliveryId" = OLD."id";
  RETURN NULL;
END $$;
CREATE TRIGGER "delivery_attempts" AFTER DELETE ON "webhook_delivery" FOR EACH ROW EXECUTE FUNCTION "delete_attempts_of_delivery"();

CREATE FUNCTION "delete_deliveries_of_event"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "webhook_delivery" WHERE "eventId" = OLD."id";
  RETURN NULL;
END $$;
CREATE TRIGGER "event_deliveries" AFTER DELETE ON "domain_event" FOR EACH ROW EXECUTE FUNCTION "delete_deliveries_of_event"();

-- Nothing is found by the id of an attempt, which is made from that of its delivery and the number.
ALTER TABLE "webhook_attempt" DROP CONSTRAINT "webhook_attempt_pkey";
ALTER TABLE "webhook_attempt" ADD CONSTRAINT "webhook_attempt_pkey" PRIMARY KEY USING INDEX "webhook_attempt_deliveryId_number_key";
