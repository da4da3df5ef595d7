-- AlterTable
ALTER TABLE "roster_change" ADD COLUMN     "inWasOn" BOOLEAN NOT NULL DEFAULT false;
