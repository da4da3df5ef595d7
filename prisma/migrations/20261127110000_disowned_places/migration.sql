-- What an account agreed to before its owner took it over counts for nobody, also where it was substituted before that.
ALTER TABLE "roster_change" ADD COLUMN     "disownedAt" TIMESTAMPTZ(3);

UPDATE "roster_change" c SET "outAccepted" = false, "disownedAt" = clock_timestamp()
FROM "user" u WHERE u."id" = c."outUserId" AND c."outAccepted" AND c."createdAt" <= u."takenOverAt";

-- The changes whose players are still to be counted anew.
CREATE INDEX "roster_change_disowned" ON "roster_change"("disownedAt") WHERE "disownedAt" IS NOT NULL;
