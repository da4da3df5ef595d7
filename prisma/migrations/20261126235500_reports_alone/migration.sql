-- A thread says that staff took a report off, or that it went with the participants it was about.
ALTER TYPE "match_message_kind" ADD VALUE 'report_removed';

-- A report alone does not start a match any more: only what staff started keeps the time.
UPDATE "match" m SET
  "report" = m."report" || jsonb_build_object('firstReportedAt',
    to_char(m."startedAt" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
  "startedAt" = CASE WHEN m."status" = 'disputed' OR EXISTS (
    SELECT FROM "audit_entry" a WHERE a."targetId" = m."id" AND a."action" = 'match.start'
      AND a."createdAt" >= m."startedAt" - interval '1 minute') THEN m."startedAt" END
WHERE m."status" IN ('in_progress', 'disputed') AND m."report" IS NOT NULL AND m."startedAt" IS NOT NULL;
