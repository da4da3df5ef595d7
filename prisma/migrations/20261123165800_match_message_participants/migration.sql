-- A line of a thread is for those who played in the match when it was written. Lines before a lost result were for those who had
-- it, and the others for those who play now.
ALTER TABLE "match_message" ADD COLUMN "participantIds" TEXT[];

UPDATE "match_message" l SET "participantIds" = array_remove(coalesce((
  SELECT ARRAY(SELECT jsonb_array_elements_text(c."details"->'previousResult'->'participantIds'))
  FROM "match_message" c
  WHERE c."matchId" = l."matchId" AND c."kind" = 'result_lost' AND (c."createdAt", c."id") > (l."createdAt", l."id")
  ORDER BY c."createdAt", c."id" LIMIT 1
), ARRAY[m."participantAId", m."participantBId"]), NULL)
FROM "match" m WHERE m."id" = l."matchId";
