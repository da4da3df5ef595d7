CREATE TYPE "media_kind" AS ENUM ('tournament_banner');
CREATE TYPE "media_status" AS ENUM ('pending', 'ready');

CREATE TABLE "media_file" (
    "id" TEXT NOT NULL,
    "projectId" TEXT NOT NULL,
    "kind" "media_kind" NOT NULL,
    "key" TEXT NOT NULL,
    "contentType" TEXT NOT NULL,
    "sizeBytes" INTEGER NOT NULL,
    "sha256" TEXT NOT NULL,
    "status" "media_status" NOT NULL DEFAULT 'pending',
    "createdById" TEXT NOT NULL,
    "expiresAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "media_file_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "media_file_key_key" ON "media_file"("key");
CREATE INDEX "media_file_projectId_createdAt_idx" ON "media_file"("projectId", "createdAt");
CREATE INDEX "media_file_expiresAt_idx" ON "media_file"("expiresAt");
ALTER TABLE "media_file" ADD CONSTRAINT "media_file_projectId_fkey" FOREIGN KEY ("projectId") REFERENCES "project"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "tournament" ADD COLUMN "bannerId" TEXT;
CREATE UNIQUE INDEX "tournament_bannerId_key" ON "tournament"("bannerId");
ALTER TABLE "tournament" ADD CONSTRAINT "tournament_bannerId_fkey" FOREIGN KEY ("bannerId") REFERENCES "media_file"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- A banner that no tournament shows any more goes an hour later: until then, pages that were just read still show it.
CREATE FUNCTION "release_banner"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' OR NEW."bannerId" IS DISTINCT FROM OLD."bannerId" THEN
    UPDATE "media_file" SET "expiresAt" = now() + interval '1 hour', "updatedAt" = now() WHERE "id" = OLD."bannerId";
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "tournament_release_banner" AFTER DELETE OR UPDATE OF "bannerId" ON "tournament"
  FOR EACH ROW WHEN (OLD."bannerId" IS NOT NULL) EXECUTE FUNCTION "release_banner"();
