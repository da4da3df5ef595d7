-- Players who were named and have not accepted are not reported for silence in a session of the match's roster.
ALTER TABLE "anti_cheat_session" ADD COLUMN "ofRoster" BOOLEAN NOT NULL DEFAULT false;
