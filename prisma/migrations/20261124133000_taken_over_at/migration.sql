-- AlterTable
ALTER TABLE "user" ADD COLUMN     "takenOverAt" TIMESTAMPTZ(3);
