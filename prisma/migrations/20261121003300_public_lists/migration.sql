-- Public lists by phase: without these the first page of what is to come is found behind everything that was ever played.
CREATE INDEX "tournament_public_current" ON "tournament" ("startDate", "id")
  WHERE "visibility" = 'public' AND "publishedAt" IS NOT NULL AND "status" IN ('PUBLISHED', 'IN_PROGRESS');
CREATE INDEX "tournament_public_past" ON "tournament" ("startDate", "id")
  WHERE "visibility" = 'public' AND "publishedAt" IS NOT NULL AND "status" IN ('COMPLETED', 'CANCELLED');
