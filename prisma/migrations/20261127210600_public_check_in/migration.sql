-- The home page asks which public tournaments are checking in. Few are, and those without a check-in, however many, must not be read
-- to find them. It holds no column that a registration changes.
CREATE INDEX "tournament_public_check_in" ON "tournament" ("startDate", "id") INCLUDE ("checkInOpensAt", "checkInClosesAt")
  WHERE "visibility" = 'public' AND "publishedAt" IS NOT NULL AND "status" = 'PUBLISHED' AND "checkInOpensAt" IS NOT NULL;
