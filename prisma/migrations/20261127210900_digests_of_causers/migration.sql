-- Digests have the turn of who caused most of what is in them. Of those that are not sent yet this is not known any more, and
-- they have one together.
UPDATE "outgoing_mail" SET "causedBy" = "sourceId" WHERE "kind" = 'digest' AND "dueAt" IS NOT NULL;
