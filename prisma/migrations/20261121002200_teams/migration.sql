CREATE TABLE "team" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "tag" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "disbandedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "team_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "team_member" (
    "teamId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "role" "roster_role" NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "team_member_pkey" PRIMARY KEY ("teamId","userId")
);
CREATE INDEX "team_member_userId_createdAt_idx" ON "team_member"("userId", "createdAt");
CREATE UNIQUE INDEX "team_member_captain_key" ON "team_member"("teamId") WHERE "role" = 'captain';
ALTER TABLE "team_member" ADD CONSTRAINT "team_member_teamId_fkey" FOREIGN KEY ("teamId") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "team_member" ADD CONSTRAINT "team_member_userId_fkey" FOREIGN KEY ("userId") REFERENCES "user"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

CREATE TABLE "team_invitation" (
    "id" TEXT NOT NULL,
    "teamId" TEXT NOT NULL,
    "userId" TEXT,
    "email" TEXT,
    "role" "roster_role" NOT NULL,
    "tokenHash" TEXT,
    "invitedById" TEXT NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "acceptedAt" TIMESTAMPTZ(3),
    "declinedAt" TIMESTAMPTZ(3),
    "revokedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "team_invitation_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "team_invitation_role_check" CHECK ("role" <> 'captain'),
    CONSTRAINT "team_invitation_one_check" CHECK ("userId" IS NULL OR "email" IS NULL)
);
CREATE UNIQUE INDEX "team_invitation_tokenHash_key" ON "team_invitation"("tokenHash");
CREATE INDEX "team_invitation_teamId_createdAt_idx" ON "team_invitation"("teamId", "createdAt");
CREATE INDEX "team_invitation_userId_idx" ON "team_invitation"("userId");
CREATE INDEX "team_invitation_email_idx" ON "team_invitation"("email");
CREATE INDEX "team_invitation_invitedById_idx" ON "team_invitation"("invitedById");
-- One open offer per team and player or address; without either it is the team's one link.
CREATE UNIQUE INDEX "team_invitation_open_key" ON "team_invitation"("teamId", coalesce("userId", "email", ''))
  WHERE "acceptedAt" IS NULL AND "declinedAt" IS NULL AND "revokedAt" IS NULL;
ALTER TABLE "team_invitation" ADD CONSTRAINT "team_invitation_teamId_fkey" FOREIGN KEY ("teamId") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "team_invitation" ADD CONSTRAINT "team_invitation_userId_fkey" FOREIGN KEY ("userId") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "team_invitation" ADD CONSTRAINT "team_invitation_invitedById_fkey" FOREIGN KEY ("invitedById") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE INDEX "participant_teamId_idx" ON "participant"("teamId");
ALTER TABLE "participant" ADD CONSTRAINT "participant_teamId_fkey" FOREIGN KEY ("teamId") REFERENCES "team"("id") ON DELETE SET NULL ON UPDATE CASCADE;
