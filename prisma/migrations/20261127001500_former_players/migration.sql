-- Who leaves a registration that was rejected or disqualified does not register again.
ALTER TABLE "participant" ADD COLUMN "formerUserId" TEXT;

CREATE INDEX "participant_former_player" ON "participant"("tournamentId", "formerUserId") WHERE "formerUserId" IS NOT NULL;
