-- AlterTable
ALTER TABLE "team_invitation" ADD COLUMN "invitedFrom" TEXT,
ADD COLUMN "place" SMALLINT NOT NULL DEFAULT 0;

-- Of those that are there, the inviter stands for the block.
UPDATE "team_invitation" i SET "place" = least(r."place", 2) FROM (
  SELECT "id", row_number() OVER (PARTITION BY coalesce("userId", "email"), "invitedById" ORDER BY "createdAt", "id") - 1 AS "place"
  FROM "team_invitation"
  WHERE "acceptedAt" IS NULL AND "declinedAt" IS NULL AND "revokedAt" IS NULL AND coalesce("userId", "email") IS NOT NULL
) r WHERE r."id" = i."id" AND r."place" > 0;

-- What a player finds when signed in: of each place the latest, so that neither those that have expired nor what one block sends, however
-- many, must be read to find the others.
CREATE INDEX "team_invitation_received" ON "team_invitation" (coalesce("userId", "email"), "place", "expiresAt")
  WHERE "acceptedAt" IS NULL AND "declinedAt" IS NULL AND "revokedAt" IS NULL;
