-- Nothing is found by its sequence alone, and every write of an event paid for this index.
DROP INDEX "domain_event_sequence_key";

-- An attempt is written once, with its result, and needs no room for a second version beside it.
ALTER TABLE "webhook_attempt" RESET (fillfactor);
