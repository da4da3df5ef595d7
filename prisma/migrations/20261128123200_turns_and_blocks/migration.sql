-- A claim of emails finds the next turn, and the next block of recipients in it, by this index and no other. Statistics that were taken when
-- nothing was due make each index of due emails look equally good, and one of the others has to read all of them each time.
-- The other one goes first, which takes the stronger lock: taken after the weaker one, it deadlocks with who writes an email in between.
DROP INDEX "outgoing_mail_due_to";
CREATE INDEX "outgoing_mail_places" ON "outgoing_mail" (
  (CASE WHEN "dueAt" IS NOT NULL AND "causedBy" <> '' THEN md5("causedBy") || md5(coalesce("recipientFrom", "recipient")) END), "dueAt", "id")
  WHERE (CASE WHEN "dueAt" IS NOT NULL AND "causedBy" <> '' THEN md5("causedBy") || md5(coalesce("recipientFrom", "recipient")) END) IS NOT NULL;
