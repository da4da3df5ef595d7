-- The rates of a player in a tournament or match, such as `quota:matchAnswers:mat_… usr_…`, by player: whoever takes an account over
-- gets them anew, however many matches a stranger played with it.
CREATE INDEX "rate_limit_window_of_player" ON "rate_limit_window" (split_part("subject", ' ', 2))
  WHERE "subject" LIKE 'quota:% usr_%';
