-- CreateEnum
CREATE TYPE "match_message_kind" AS ENUM ('report', 'dispute', 'comment', 'confirmation', 'ruling', 'correction', 'reopening', 'result_lost', 'proposal', 'proposal_declined', 'proposal_withdrawn', 'rescheduled');

-- AlterEnum
ALTER TYPE "media_kind" ADD VALUE 'match_screenshot';

-- AlterTable
ALTER TABLE "match_message" ADD COLUMN     "details" JSONB NOT NULL DEFAULT '{}',
ADD COLUMN     "participantId" TEXT,
ALTER COLUMN "authorId" DROP NOT NULL,
ALTER COLUMN "kind" TYPE "match_message_kind" USING "kind"::"match_message_kind",
ALTER COLUMN "text" SET DEFAULT '';

-- The key has named the subject from the beginning: kind/project/subject/id.
ALTER TABLE "media_file" ADD COLUMN     "subjectId" TEXT;
UPDATE "media_file" SET "subjectId" = split_part("key", '/', 3);
ALTER TABLE "media_file" ALTER COLUMN "subjectId" SET NOT NULL;

-- Screenshots of a match that is gone, with a new draw or its tournament, are deleted an hour later.
CREATE FUNCTION "release_screenshots"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "media_file" SET "expiresAt" = now() + interval '1 hour', "updatedAt" = now() WHERE "id" = ANY(OLD."mediaFileIds");
  RETURN NULL;
END $$;
CREATE TRIGGER "match_message_release_screenshots" AFTER DELETE ON "match_message"
  FOR EACH ROW WHEN (cardinality(OLD."mediaFileIds") > 0) EXECUTE FUNCTION "release_screenshots"();
