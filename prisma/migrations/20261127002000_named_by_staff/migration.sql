-- Whom a captain named stays named by a captain when that captain has gone.
ALTER TABLE "roster_member" ADD COLUMN "addedByStaff" BOOLEAN NOT NULL DEFAULT false;

UPDATE "roster_member" r SET "addedByStaff" = true FROM "participant" p
WHERE p."id" = r."participantId" AND r."addedById" IS NOT NULL AND r."addedById" IS DISTINCT FROM p."userId";
