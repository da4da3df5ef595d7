-- Every few seconds the relay looks for tournaments whose registration opened or closed without an event. It reads ranges of this
-- index, and not every published tournament. Registrations change none of these columns.
DROP INDEX "tournament_schedule";
CREATE INDEX "tournament_registration_window" ON "tournament" ("registrationAnnounced",
  LEAST("registrationClosesAt", "startDate"), GREATEST("registrationOpensAt", "publishedAt")) WHERE "status" = 'PUBLISHED';
