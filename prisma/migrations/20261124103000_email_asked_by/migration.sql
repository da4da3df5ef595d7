-- AlterTable
ALTER TABLE "outgoing_mail" ADD COLUMN     "askedBy" TEXT NOT NULL DEFAULT '';
