-- AlterTable
ALTER TABLE "match" ADD COLUMN     "showUpBy" TIMESTAMPTZ(3),
ADD COLUMN     "streamPosition" INTEGER;

-- AlterTable
ALTER TABLE "station" ADD COLUMN     "autoAssign" BOOLEAN NOT NULL DEFAULT false;

-- Prisma cannot express what follows.

-- Only a called match has a time to show up by.
ALTER TABLE "match" ADD CONSTRAINT "match_show_up_by_called" CHECK ("showUpBy" IS NULL OR "calledAt" IS NOT NULL);
