-- Processes announce events when their transaction has committed. A transaction that notifies commits alone: PostgreSQL holds a
-- lock of the whole cluster until its commit is on the disk.
DROP TRIGGER "domain_event_notify" ON "domain_event";
DROP FUNCTION "notify_domain_event"();
