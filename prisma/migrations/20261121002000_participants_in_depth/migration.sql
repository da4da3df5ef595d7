-- Versioned questions, the roster lock and the seed of the last random draw.
ALTER TABLE "tournament"
  ADD COLUMN "customFieldsVersion" INTEGER NOT NULL DEFAULT 1,
  ADD COLUMN "rosterLockAt" TIMESTAMPTZ(3),
  ADD COLUMN "randomSeed" TEXT;

CREATE TABLE "custom_field_set" (
    "tournamentId" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "definitions" JSONB NOT NULL,
    "createdById" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "custom_field_set_pkey" PRIMARY KEY ("tournamentId","version")
);
ALTER TABLE "custom_field_set" ADD CONSTRAINT "custom_field_set_tournamentId_fkey" FOREIGN KEY ("tournamentId") REFERENCES "tournament"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What staff decided about an entrant, and what undoing it brings back.
ALTER TABLE "participant"
  ADD COLUMN "customFieldsVersion" INTEGER NOT NULL DEFAULT 1,
  ADD COLUMN "teamId" TEXT,
  ADD COLUMN "statusReason" TEXT,
  ADD COLUMN "standingBefore" JSONB,
  ADD COLUMN "decidedById" TEXT;

CREATE TABLE "roster_change" (
    "id" TEXT NOT NULL,
    "tournamentId" TEXT NOT NULL,
    "participantId" TEXT NOT NULL,
    "outUserId" TEXT NOT NULL,
    "inUserId" TEXT NOT NULL,
    "role" "roster_role" NOT NULL,
    "reason" TEXT NOT NULL,
    "actorId" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "roster_change_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "roster_change_participantId_createdAt_id_idx" ON "roster_change"("participantId", "createdAt", "id");
CREATE INDEX "roster_change_tournamentId_idx" ON "roster_change"("tournamentId");
ALTER TABLE "roster_change" ADD CONSTRAINT "roster_change_participantId_fkey" FOREIGN KEY ("participantId") REFERENCES "participant"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "roster_change" ADD CONSTRAINT "roster_change_tournamentId_fkey" FOREIGN KEY ("tournamentId") REFERENCES "tournament"("id") ON DELETE CASCADE ON UPDATE CASCADE;
