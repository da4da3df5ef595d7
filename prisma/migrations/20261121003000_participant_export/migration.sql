-- An export reads the entrants of a tournament by id, part by part.
CREATE INDEX "participant_tournamentId_id_idx" ON "participant"("tournamentId", "id");
