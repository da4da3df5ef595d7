-- AlterTable
ALTER TABLE "email_token" ADD COLUMN     "network" TEXT;
