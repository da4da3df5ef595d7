-- What API keys list: a project's tournaments by start, drafts left out, and those of one game; counted and skipped over
-- in the index alone.
CREATE INDEX "tournament_listed" ON "tournament" ("projectId", "startDate", "id") WHERE "status" <> 'DRAFT';
CREATE INDEX "tournament_projectId_gameId_startDate_id_status_idx" ON "tournament" ("projectId", "gameId", "startDate", "id", "status");
