-- Where a player was substituted is found without reading the substitutions of others.
CREATE INDEX "roster_change_outUserId_idx" ON "roster_change"("outUserId");
