ALTER TABLE "anti_cheat_session_client" ADD COLUMN "raisedSilenceFrom" TIMESTAMPTZ(3);
