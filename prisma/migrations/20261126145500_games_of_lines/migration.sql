-- Of a long thread, the most games that a line lists are found without reading every line.
CREATE INDEX "match_message_games" ON "match_message" ("matchId", (coalesce(jsonb_array_length("details" -> 'result' -> 'games'), 0)
  + coalesce(jsonb_array_length("details" -> 'previousResult' -> 'games'), 0)));
