-- The public list by game, format or status is counted and skipped over in the index alone. What a registration changes is
-- not in it.
CREATE INDEX "tournament_public_list" ON "tournament" ("startDate", "id") INCLUDE ("gameId", "format", "status")
  WHERE "visibility" = 'public' AND "publishedAt" IS NOT NULL;
DROP INDEX "tournament_public_by_start";
