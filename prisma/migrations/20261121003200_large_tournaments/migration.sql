-- The desk and the list of entrants in the order of registration and by name, whatever their state: a page and what is
-- skipped before it come out of an index.
CREATE INDEX "participant_tournamentId_registeredAt_id_idx" ON "participant"("tournamentId", "registeredAt", "id");
CREATE INDEX "participant_tournamentId_name_id_idx" ON "participant"("tournamentId", "name", "id");

-- No search is by the beginning of a name, and participant_waitlist_queue alone serves the waitlist.
DROP INDEX "participant_name_search";
DROP INDEX "participant_tournamentId_registrationStatus_waitlistOrder_idx";
