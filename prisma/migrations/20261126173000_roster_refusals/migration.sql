-- A captain does not name a player again who has left the captain's roster without having accepted.
CREATE TABLE "roster_refusal" (
    "tournamentId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "namedById" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "roster_refusal_pkey" PRIMARY KEY ("tournamentId", "userId", "namedById")
);

CREATE INDEX "roster_refusal_userId_idx" ON "roster_refusal"("userId");

ALTER TABLE "roster_refusal" ADD CONSTRAINT "roster_refusal_tournamentId_fkey"
  FOREIGN KEY ("tournamentId") REFERENCES "tournament"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "roster_refusal" ADD CONSTRAINT "roster_refusal_userId_fkey"
  FOREIGN KEY ("userId") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;
