-- The last foreign key of a delivery, which locked the row of its subscription once more for every delivery. The statements that
-- store deliveries lock each subscription once.
ALTER TABLE "webhook_delivery" DROP CONSTRAINT "webhook_delivery_subscriptionId_fkey";
CREATE FUNCTION "delete_deliveries_of_subscription"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "webhook_delivery" WHERE "subscriptionId" = OLD."id";
  RETURN NULL;
END $$;
CREATE TRIGGER "subscription_deliveries" AFTER DELETE ON "webhook_subscription" FOR EACH ROW EXECUTE FUNCTION "delete_deliveries_of_subscription"();
