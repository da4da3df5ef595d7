-- The public list in the order of start, and the search for words of a name over every list.
CREATE INDEX "tournament_public_by_start" ON "tournament" ("startDate", "id")
  WHERE "visibility" = 'public' AND "publishedAt" IS NOT NULL;
CREATE INDEX "tournament_name_search" ON "tournament"
  USING gin (to_tsvector('simple', translate("name", '-./:@_', '      ')));

-- What the sweep of registration announcements looks at: only what is published can open or close.
CREATE INDEX "tournament_published_schedule" ON "tournament" ("registrationAnnounced") WHERE "status" = 'PUBLISHED';
