-- A refresh token ends with the sessions of its account, however many tokens that has.
ALTER TABLE "refresh_token" ADD COLUMN "sessionVersion" INTEGER NOT NULL DEFAULT 0;
UPDATE "refresh_token" t SET "sessionVersion" = u."sessionVersion" FROM "user" u
WHERE u."id" = t."userId" AND u."sessionVersion" <> 0 AND t."spentAt" IS NULL AND t."revokedAt" IS NULL;
ALTER TABLE "refresh_token" ALTER COLUMN "sessionVersion" DROP DEFAULT;
