-- AlterTable
ALTER TABLE "participant" ADD COLUMN     "acceptedAt" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP;

-- AlterTable
ALTER TABLE "roster_change" ADD COLUMN     "outAccepted" BOOLEAN NOT NULL DEFAULT true;

-- AlterTable
ALTER TABLE "roster_member" ADD COLUMN     "acceptedAt" TIMESTAMPTZ(3),
ADD COLUMN     "addedById" TEXT;

-- Until now everyone on a roster was told by email, and counted as playing.
UPDATE "participant" SET "acceptedAt" = "registeredAt";
UPDATE "roster_member" SET "acceptedAt" = "createdAt";
