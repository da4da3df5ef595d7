-- A claim of emails finds the next one who asked for some, and theirs, by this index and no other.
CREATE INDEX "outgoing_mail_asked" ON "outgoing_mail" (
  (CASE WHEN "dueAt" IS NOT NULL AND "causedBy" = '' THEN md5("askedBy") END), "dueAt", "id")
  WHERE (CASE WHEN "dueAt" IS NOT NULL AND "causedBy" = '' THEN md5("askedBy") END) IS NOT NULL;
