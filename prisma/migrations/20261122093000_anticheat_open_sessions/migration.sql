-- Ended sessions count as evaluated once "evaluatedUntil" has reached their end; those from before are. It stays on the grid of
-- whole minutes from the session's start.
UPDATE "anti_cheat_session"
SET "evaluatedUntil" = "evaluatedUntil" + ceil(extract(epoch FROM "endedAt" - "evaluatedUntil") / 60) * interval '1 minute'
WHERE "endedAt" > "evaluatedUntil";

-- What a round of evaluation looks for.
CREATE INDEX "anti_cheat_session_open_idx" ON "anti_cheat_session"("projectId", "evaluatedUntil", "id")
  WHERE "endedAt" IS NULL OR "evaluatedUntil" < "endedAt";
DROP INDEX "anti_cheat_session_running_idx";
