-- How many sessions of a project run: asked at every start of one.
CREATE INDEX "anti_cheat_session_running_of_project_idx" ON "anti_cheat_session"("projectId") WHERE "endedAt" IS NULL;
