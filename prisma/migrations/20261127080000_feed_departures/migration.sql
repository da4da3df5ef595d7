-- What feeds say of players who left without having agreed counts for nobody.
CREATE TABLE "feed_departure" (
    "participantId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3),
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "feed_departure_pkey" PRIMARY KEY ("participantId","userId","until")
);

ALTER TABLE "feed_departure" ADD CONSTRAINT "feed_departure_participantId_fkey" FOREIGN KEY ("participantId") REFERENCES "participant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The events that count for a player.
CREATE INDEX "match_event_player" ON "match_event"("userId", "participantId") WHERE "userId" IS NOT NULL AND "type" IN ('kill', 'death', 'assist');
