CREATE TABLE "outgoing_mail" (
    "id" TEXT NOT NULL,
    "recipient" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "contentEncrypted" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "claimedUntil" TIMESTAMPTZ(3),
    "lastError" TEXT,
    "sentAt" TIMESTAMPTZ(3),
    "failedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "outgoing_mail_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "outgoing_mail_createdAt_idx" ON "outgoing_mail"("createdAt");

-- What is left to send; the sweep reads nothing else.
CREATE INDEX "outgoing_mail_open" ON "outgoing_mail" ("createdAt") WHERE "sentAt" IS NULL AND "failedAt" IS NULL;
