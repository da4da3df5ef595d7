-- Events take turns by who created their projects, so that many projects of one person are one of them.
ALTER TABLE "pending_event" ADD COLUMN "turn" TEXT NOT NULL DEFAULT '';
UPDATE "pending_event" e SET "turn" = coalesce(
  (SELECT coalesce(p."createdFrom", p."createdById", p."id") FROM "project" p WHERE p."id" = e."projectId"), '');
DROP INDEX "pending_event_projectId_sequence_idx";
CREATE INDEX "pending_event_turn_projectId_sequence_idx" ON "pending_event"("turn", "projectId", "sequence");
