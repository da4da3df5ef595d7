-- AlterTable
ALTER TABLE "participant" ALTER COLUMN "userId" DROP NOT NULL;

-- AlterTable
ALTER TABLE "roster_member" DROP CONSTRAINT "roster_member_pkey",
ADD COLUMN     "id" BIGSERIAL NOT NULL,
ADD COLUMN     "name" TEXT,
ALTER COLUMN "userId" DROP NOT NULL,
ADD CONSTRAINT "roster_member_pkey" PRIMARY KEY ("id");

-- CreateTable
CREATE TABLE "claim_link" (
    "id" TEXT NOT NULL,
    "participantId" TEXT NOT NULL,
    "tokenHash" TEXT NOT NULL,
    "createdById" TEXT NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "acceptedAt" TIMESTAMPTZ(3),
    "acceptedById" TEXT,
    "revokedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "claim_link_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "claim_link_tokenHash_key" ON "claim_link"("tokenHash");

-- CreateIndex
CREATE INDEX "claim_link_participantId_idx" ON "claim_link"("participantId");

-- CreateIndex
CREATE UNIQUE INDEX "roster_member_participantId_userId_key" ON "roster_member"("participantId", "userId");

-- AddForeignKey
ALTER TABLE "claim_link" ADD CONSTRAINT "claim_link_participantId_fkey" FOREIGN KEY ("participantId") REFERENCES "participant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Prisma cannot express what follows.

-- Who plays without an account has a name of their own on the roster.
ALTER TABLE "roster_member" ADD CONSTRAINT "roster_member_guest_name" CHECK (("userId" IS NULL) = ("name" IS NOT NULL));

-- One link at a time takes over a guest.
CREATE UNIQUE INDEX "claim_link_open" ON "claim_link" ("participantId") WHERE "acceptedAt" IS NULL AND "revokedAt" IS NULL;
