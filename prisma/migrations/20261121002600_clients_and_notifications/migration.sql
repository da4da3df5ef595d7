CREATE TABLE "anti_cheat_client" (
    "id" TEXT NOT NULL,
    "projectId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "game" TEXT,
    "deviceName" TEXT,
    "tokenHash" TEXT NOT NULL,
    "lastHeartbeatAt" TIMESTAMPTZ(3),
    "revokedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "anti_cheat_client_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "anti_cheat_client_tokenHash_key" ON "anti_cheat_client"("tokenHash");
CREATE INDEX "anti_cheat_client_userId_projectId_idx" ON "anti_cheat_client"("userId", "projectId");
CREATE INDEX "anti_cheat_client_projectId_idx" ON "anti_cheat_client"("projectId");
ALTER TABLE "anti_cheat_client" ADD CONSTRAINT "anti_cheat_client_projectId_fkey" FOREIGN KEY ("projectId") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "anti_cheat_client" ADD CONSTRAINT "anti_cheat_client_userId_fkey" FOREIGN KEY ("userId") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Mail about registrations and teams can be switched off; an event that is handed on twice is told of once.
ALTER TABLE "user" ADD COLUMN "emailNotifications" BOOLEAN NOT NULL DEFAULT true;
ALTER TABLE "outgoing_mail" ADD COLUMN "dedupeKey" TEXT;
CREATE UNIQUE INDEX "outgoing_mail_dedupeKey_key" ON "outgoing_mail"("dedupeKey");
