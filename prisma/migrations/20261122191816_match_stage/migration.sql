-- CreateIndex
CREATE INDEX "match_stageId_bracket_round_idx" ON "match"("stageId", "bracket", "round");
