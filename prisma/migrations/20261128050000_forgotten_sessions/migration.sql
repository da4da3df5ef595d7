-- How many sessions of a project run, asked at every start of one, and which of them have run for a day.
CREATE INDEX "anti_cheat_session_running_since_idx" ON "anti_cheat_session"("projectId", "startedAt") WHERE "endedAt" IS NULL;
DROP INDEX "anti_cheat_session_running_of_project_idx";
