-- Items that make a page of a list too large: matches with many games, and long answers, details and filters.
CREATE INDEX "match_large" ON "match" ("tournamentId", (
  jsonb_array_length("games") + coalesce(jsonb_array_length("report" -> 'games'), 0)
    + coalesce(jsonb_array_length("counterReport" -> 'games'), 0)
)) WHERE jsonb_array_length("games") + coalesce(jsonb_array_length("report" -> 'games'), 0)
    + coalesce(jsonb_array_length("counterReport" -> 'games'), 0) > 20;
CREATE INDEX "participant_large" ON "participant" ("tournamentId", octet_length("customFields"::text))
  WHERE octet_length("customFields"::text) > 5000;
CREATE INDEX "audit_entry_large" ON "audit_entry" ("projectId", octet_length("details"::text))
  WHERE octet_length("details"::text) > 5000;
CREATE INDEX "webhook_replay_large" ON "webhook_replay" ("subscriptionId", octet_length("filter"::text))
  WHERE octet_length("filter"::text) > 5000;
