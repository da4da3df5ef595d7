-- The sweep of registration announcements asks every published tournament for its times each minute: all that it asks for
-- is in this index. None of it changes when someone registers.
CREATE INDEX "tournament_schedule" ON "tournament"
  ("registrationAnnounced", "registrationOpensAt", "publishedAt", "registrationClosesAt", "startDate", "id")
  WHERE "status" = 'PUBLISHED';
DROP INDEX "tournament_published_schedule";
