-- Every search for due deliveries goes through a subscription's queue now; one index less to write for each delivery.
DROP INDEX "webhook_delivery_due";
