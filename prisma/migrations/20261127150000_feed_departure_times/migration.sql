-- One row of a player and a participant has all times at which what feeds say of them counts for nobody.
ALTER TABLE "feed_departure" ADD COLUMN "times" tstzmultirange;
-- To look at a compressed value for each of a million events takes ten times as long.
ALTER TABLE "feed_departure" SET (toast_tuple_target = 8160);
ALTER TABLE "feed_departure" DROP CONSTRAINT "feed_departure_pkey";
ALTER TABLE "feed_departure" ALTER COLUMN "until" DROP NOT NULL;

WITH single AS (DELETE FROM "feed_departure" RETURNING "participantId", "userId", "since", "until")
INSERT INTO "feed_departure" ("participantId", "userId", "times")
SELECT "participantId", "userId", range_agg(tstzrange("since", greatest("since", "until"), '(]')) FROM single
GROUP BY "participantId", "userId";

ALTER TABLE "feed_departure" DROP COLUMN "since";
ALTER TABLE "feed_departure" DROP COLUMN "until";
ALTER TABLE "feed_departure" ALTER COLUMN "times" SET NOT NULL;
ALTER TABLE "feed_departure" ADD CONSTRAINT "feed_departure_pkey" PRIMARY KEY ("participantId", "userId");

-- The events that count for a player, by when they were added. With their types, so that only the index is read to count them.
DROP INDEX "match_event_player";
CREATE INDEX "match_event_player" ON "match_event"("userId", "participantId", "createdAt", "type") WHERE "userId" IS NOT NULL AND "type" IN ('kill', 'death', 'assist');
