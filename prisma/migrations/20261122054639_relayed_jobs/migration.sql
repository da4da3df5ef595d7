-- AlterTable
ALTER TABLE "media_file" ADD COLUMN     "checkAt" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "webhook_replay" ADD COLUMN     "continuedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- AlterTable
ALTER TABLE "webhook_subscription" ADD COLUMN     "ownersEmailedAt" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "resent_job" (
    "job" TEXT NOT NULL,
    "jobId" TEXT NOT NULL,
    "times" INTEGER NOT NULL,
    "nextAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "resent_job_pkey" PRIMARY KEY ("job","jobId")
);

-- The uploads that are still awaited.
CREATE INDEX "media_file_check" ON "media_file" ("checkAt") WHERE "checkAt" IS NOT NULL;
