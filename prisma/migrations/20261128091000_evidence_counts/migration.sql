-- How many files of evidence a session and each of its detections have: to count those of a session for every detection of a list
-- takes as long as both are many. Not in the rows of sessions and detections, which others lock for longer.
CREATE TABLE "evidence_count" (
    "sessionId" TEXT NOT NULL,
    "detectionId" TEXT NOT NULL,
    "files" INTEGER NOT NULL,

    CONSTRAINT "evidence_count_pkey" PRIMARY KEY ("sessionId","detectionId")
);

CREATE FUNCTION "count_evidence"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    UPDATE "evidence_count" SET "files" = "files" - 1
      WHERE "sessionId" = OLD."subjectId" AND "detectionId" = coalesce(OLD."detectionId", '');
    DELETE FROM "evidence_count"
      WHERE "sessionId" = OLD."subjectId" AND "detectionId" = coalesce(OLD."detectionId", '') AND "files" = 0;
  ELSE
    INSERT INTO "evidence_count" ("sessionId", "detectionId", "files")
      VALUES (NEW."subjectId", coalesce(NEW."detectionId", ''), 1)
      ON CONFLICT ("sessionId", "detectionId") DO UPDATE SET "files" = "evidence_count"."files" + 1;
  END IF;
  RETURN NULL;
END $$;
-- A file is evidence from the moment it has arrived until it is deleted.
CREATE TRIGGER "media_file_evidence_stored" AFTER INSERT ON "media_file"
  FOR EACH ROW WHEN (NEW."kind" = 'evidence' AND NEW."status" = 'ready') EXECUTE FUNCTION "count_evidence"();
CREATE TRIGGER "media_file_evidence_arrived" AFTER UPDATE OF "status" ON "media_file"
  FOR EACH ROW WHEN (NEW."kind" = 'evidence' AND NEW."status" = 'ready' AND OLD."status" = 'pending') EXECUTE FUNCTION "count_evidence"();
CREATE TRIGGER "media_file_evidence_deleted" AFTER DELETE ON "media_file"
  FOR EACH ROW WHEN (OLD."kind" = 'evidence' AND OLD."status" = 'ready') EXECUTE FUNCTION "count_evidence"();

-- The triggers have locked the table: what arrives meanwhile is counted by them, after this.
INSERT INTO "evidence_count" ("sessionId", "detectionId", "files")
  SELECT "subjectId", coalesce("detectionId", ''), count(*) FROM "media_file"
  WHERE "kind" = 'evidence' AND "status" = 'ready' GROUP BY 1, 2;

-- A page of a session's evidence, the newest first, is read without that of the project's other sessions.
CREATE INDEX "media_file_subjectId_createdAt_id_idx" ON "media_file"("subjectId", "createdAt", "id");
DROP INDEX "media_file_subjectId_idx";
