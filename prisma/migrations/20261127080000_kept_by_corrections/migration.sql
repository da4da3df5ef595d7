-- What a correction deleted beyond the results that their own threads keep, to undo it.
ALTER TABLE "match_message" ADD COLUMN "kept" JSONB;
